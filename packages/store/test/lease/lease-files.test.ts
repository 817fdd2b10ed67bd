/** The row of numbers under a lease: what a slow taker, who looked long ago, must not get. */

import { beforeEach, describe, expect, test } from "vitest";
import { LeaseFiles } from "../../src/lease/lease-files.ts";
import { layoutOf, leaseNameOf, leaseShard } from "../../src/format/layout.ts";
import type { FileSystem } from "../../src/host/host.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { toId } from "../../src/format/session-id.ts";

const LAYOUT = layoutOf("/store");
const NAME = leaseNameOf("a");
const SHARD = leaseShard(LAYOUT, NAME);
const ONE = toId("01HAAAAAAAAAAAAAAAAAAAAAAA");
const TWO = toId("01HBBBBBBBBBBBBBBBBBBBBBBB");
const NOW = "2026-01-01T00:00:00.000Z";
let files: FileSystem;
let one: LeaseFiles;
let two: LeaseFiles;

beforeEach(async () => {
  files = new SimulatedMachine().startProcess().files;
  for (const path of [LAYOUT.directory, LAYOUT.own, LAYOUT.leases]) await files.makeDirectory(path);
  one = new LeaseFiles(files, LAYOUT, ONE);
  two = new LeaseFiles(files, LAYOUT, TWO);
});

async function epochs(): Promise<readonly number[]> {
  return (await one.readRow(NAME)).epochs;
}

describe("a lease", () => {
  test("is taken and given up by the next number; the ones before go", async () => {
    const row = await one.readRow(NAME);
    expect(row).toEqual({ epochs: [], tickets: [] });
    expect(await one.takeAfter(NAME, row, NOW)).toMatchObject({ epoch: 1 });
    expect(await two.readHolder(NAME, 1)).toEqual({ kind: "held", instance: ONE, since: NOW });
    await one.giveUp(NAME, 1);
    expect(await epochs()).toEqual([2]);
    expect(await two.readHolder(NAME, 2)).toEqual({ kind: "free" });
    expect(await two.readHolder(NAME, 1)).toEqual({ kind: "gone" });
    expect(await two.takeAfter(NAME, await two.readRow(NAME), NOW)).toMatchObject({ epoch: 3 });
    expect(await epochs()).toEqual([3]);
    expect(await files.readDirectory(LAYOUT.leases)).toEqual([SHARD.slice(-2)]);
  });

  test("is not given to two who have seen the same", async () => {
    const row = await one.readRow(NAME);
    const taken = [await one.takeAfter(NAME, row, NOW), await two.takeAfter(NAME, row, NOW)];
    expect(taken).toMatchObject([{ epoch: 1 }, undefined]);
    expect(await two.readHolder(NAME, 1)).toMatchObject({ instance: ONE });
  });

  test.each([
    ["nothing", 0],
    ["a number", 1],
  ])("is not given to one who saw %s, though that number is free again", async (_, before) => {
    if (before === 1) await one.takeAfter(NAME, await one.readRow(NAME), NOW).then(() => one.giveUp(NAME, 1));
    const seenLongAgo = await two.readRow(NAME);
    for (let round = 0; round < 2; round++) {
      const taken = await one.takeAfter(NAME, await one.readRow(NAME), NOW);
      if (round === 0) await one.giveUp(NAME, taken?.epoch ?? 0);
    }
    const held = (await epochs()).at(-1) ?? 0;
    expect(await two.takeAfter(NAME, seenLongAgo, NOW)).toBeUndefined();
    expect((await epochs()).at(-1)).toBe(held);
    expect(await two.readHolder(NAME, held)).toMatchObject({ instance: ONE });
    // What he has left behind is below the newest, and goes with the next.
    await one.giveUp(NAME, held);
    expect(await two.takeAfter(NAME, await two.readRow(NAME), NOW)).toMatchObject({ epoch: held + 2 });
    expect(await epochs()).toEqual([held + 2]);
  });

  test("nor if a listing that overlapped with others' changes has missed the newest", async () => {
    await one.takeAfter(NAME, await one.readRow(NAME), NOW);
    const seenLongAgo = await two.readRow(NAME);
    await one.giveUp(NAME, 1);
    const taken = await one.takeAfter(NAME, await one.readRow(NAME), NOW);
    expect(taken).toMatchObject({ epoch: 3 });
    const missing = new Proxy(files, {
      get: (target, name) =>
        name === "readDirectory"
          ? async (path: string) => (await target.readDirectory(path)).filter((each) => !each.endsWith(".3"))
          : (Reflect.get(target, name) as () => unknown).bind(target),
    });
    const late = new LeaseFiles(missing, LAYOUT, toId("01HCCCCCCCCCCCCCCCCCCCCCCC"));
    expect(await late.takeAfter(NAME, seenLongAgo, NOW)).toBeUndefined();
  });

  test("is free if its file was never written, as after a power cut; not if it is damaged, or held in another form", async () => {
    const contents = [
      "",
      "\0\0\0\0",
      // As earlier versions wrote it.
      `{"held":true,"instance":"${ONE}","since":"${NOW}"}\n`,
      `{"held":true,"instance":"${ONE}","since":"${NOW}","sum":"00000000"}\n`,
      `{"held":true,"instance":"nobody","since":"${NOW}"}\n`,
      '{"held":true,"inst',
      "[]",
      '{"held":false}',
      '{"held":true,"owner":1}',
    ];
    await files.makeDirectory(SHARD);
    for (const [index, content] of contents.entries()) {
      const file = await files.open(`${SHARD}/a.${index + 1}`, "create");
      await file.write(Buffer.from(content), 0);
    }
    const kinds = [];
    for (const index of contents.keys()) kinds.push((await one.readHolder(NAME, index + 1)).kind);
    expect(kinds).toEqual(["free", "free", "held", ...Array<string>(6).fill("unclear")]);
  });

  test("strange files beside it are nobody's", async () => {
    await files.makeDirectory(SHARD);
    const strange = ["a", "a.", "a.x", "a.1.2", "b.7", "a.waits.x", "a.1234567890123456"];
    for (const name of strange) await (await files.open(`${SHARD}/${name}`, "create")).close();
    expect(await one.readRow(NAME)).toEqual({ epochs: [], tickets: [] });
    expect(await one.takeAfter(NAME, await one.readRow(NAME), NOW)).toMatchObject({ epoch: 1 });
    expect(await files.readDirectory(SHARD)).toEqual(expect.arrayContaining(strange));
  });
});
