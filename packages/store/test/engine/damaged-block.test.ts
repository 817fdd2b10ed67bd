/** A block in the middle of a killed writer's journal is damaged: what the blocks behind it hold is read, or kept, and its seqs are not given again. */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, type SimulatedMachine } from "../../src/testing/index.ts";
import { encodeBlock } from "../../src/wal/block.ts";
import { HEAD_BYTES } from "../../src/wal/head.ts";
import { readJournal } from "../../src/wal/read-journal.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting, type CollectingStore } from "../support/open-collecting.ts";
import {
  closedStore,
  DIRECTORY,
  journalIn,
  readSimulatedFile,
  unappliedStore,
  writeSimulatedFile,
} from "../support/simulated-store.ts";

const FILE = `${DIRECTORY}/a.jsonl`;

async function append(store: Store, key: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await store.session(key).append(user(text));
}

/** A writer that was killed before anything of it was applied; more than a bit is turned in the blocks of these records. */
async function killed(
  damaged: readonly string[],
  write = async (store: Store): Promise<void> => {
    await append(store, "a", "one", "two", "three");
    await append(store, "b", "hello");
    await append(store, "a", "four", "five");
  },
): Promise<SimulatedMachine> {
  const machine = (await unappliedStore(write)).afterKill();
  const host = machine.startProcess();
  const path = await journalIn(host);
  const bytes = await readSimulatedFile(host, path);
  for (const text of damaged) bytes.write("!!!", bytes.indexOf(`"content":"${text}"`) + 11);
  await writeSimulatedFile(host, path, bytes);
  return machine;
}

async function open(host: Host, readOnly = false): Promise<CollectingStore> {
  return await openCollecting(jsonlBackend(DIRECTORY, { host }), { readOnly });
}

async function verified(machine: SimulatedMachine): Promise<readonly Damage[]> {
  const { store } = await open(machine.startProcess(), true);
  const { damage } = await store.verify();
  await store.close();
  return damage;
}

/** The session's file after a recovery. */
async function recovered(machine: SimulatedMachine): Promise<string> {
  await (await open(machine.startProcess())).store.close();
  return (await readSimulatedFile(machine.startProcess(), FILE)).toString();
}

const reasonsOf = (damage: readonly Damage[]): string[] => damage.map(({ reason }) => reason);
const matching = (text: string): string => expect.stringContaining(text) as string;

describe("the session's file ends before the records behind it", () => {
  test("every reader sees them, and both are reported, before the recovery and after it", async () => {
    const machine = await killed(["three"]);
    const journal = matching("block 3 is damaged, block 4 behind it is not");
    const hole = { file: FILE, kind: "corrupt", key: "a" };
    expect(await verified(machine)).toMatchObject([{ reason: journal }, hole]);
    for (const readOnly of [true, false, false, true]) {
      const { store } = await open(machine.startProcess(), readOnly);
      expect(await contentsOf(store.session("a"))).toEqual(["one", "two", "four", "five"]);
      expect(await contentsOf(store.session("b"))).toEqual(["hello"]);
      await store.close();
    }
    expect(await verified(machine)).toMatchObject([hole]);
  });

  test("appends go on, no seq is given again, and a repair says what is lost", async () => {
    const machine = await killed(["three"]);
    const first = await open(machine.startProcess());
    expect(await first.store.session("a").append(user("six"))).toEqual({ seq: 6 });
    expect(await first.store.session("b").append(user("goes on"))).toEqual({ seq: 2 });
    await first.store.close();
    const { store } = await open(machine.startProcess());
    const report = await store.repair();
    expect(report.lost).toMatchObject([{ key: "a", first: 3, last: 3 }]);
    expect(report.damage.map(({ left }) => left)).toEqual([undefined]);
    expect(await contentsOf(store.session("a"))).toEqual(["one", "two", "four", "five", "six"]);
    expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
    expect((await store.verify()).damage).toEqual([]);
    await store.close();
    expect(await verified(machine)).toEqual([]);
  });

  test.each([
    ["several blocks, one after the other", ["two", "three"], ["one", "four", "five"]],
    ["several blocks, with whole ones between them", ["two", "four"], ["one", "three", "five"]],
    ["the first one", ["one"], ["two", "three", "four", "five"]],
  ])("%s: all others are served, and a repair names the lost ones", async (_, damaged, served) => {
    const machine = await killed(damaged);
    const { store } = await open(machine.startProcess());
    expect(await contentsOf(store.session("a"))).toEqual(served);
    const { lost = [] } = await store.repair();
    expect(lost.reduce((count, { first, last }) => count + last - first + 1, 0)).toBe(damaged.length);
    expect(await contentsOf(store.session("a"))).toEqual(served);
    expect(await store.session("a").append(user("six"))).toEqual({ seq: 6 });
    await store.close();
    expect(await verified(machine)).toEqual([]);
  });

  test("batches behind it are whole", async () => {
    const machine = await killed(["two"], async (store) => {
      await append(store, "a", "one", "two");
      await store.session("a").append([user("three"), user("four")]);
    });
    const { store } = await open(machine.startProcess());
    expect(await contentsOf(store.session("a"))).toEqual(["one", "three", "four"]);
    await store.repair();
    expect(await contentsOf(store.session("a"))).toEqual(["one", "three", "four"]);
    expect(await store.session("a").append(user("five"))).toEqual({ seq: 5 });
    await store.close();
    expect(await verified(machine)).toEqual([]);
  });

  test("a long record is lost, and the one behind it begins with a checkpoint", async () => {
    const long = "two".padEnd(300_000, "!");
    const machine = await killed(
      [long],
      async (store) => await append(store, "a", "one", long, "three", "four"),
    );
    const bytes = await readSimulatedFile(machine.startProcess(), await journalIn(machine.startProcess()));
    expect(bytes.includes('{"checkpoint":')).toBe(true);
    const { store } = await open(machine.startProcess());
    expect(await contentsOf(store.session("a"))).toEqual(["one", "three", "four"]);
    expect(await store.session("a").append(user("five"))).toEqual({ seq: 5 });
    expect((await store.repair()).lost).toMatchObject([{ key: "a", first: 2, last: 2 }]);
    expect(await contentsOf(store.session("a"))).toEqual(["one", "three", "four", "five"]);
    await store.close();
    expect(await verified(machine)).toEqual([]);
  });

  test("the recovery is killed at any point, and done again: the file is the same", async () => {
    const machine = await killed(["three"]);
    const whole = await recovered(machine.capture().afterKill());
    for (let call = 1; ; call++) {
      const again = machine.capture().afterKill();
      let calls = 0;
      const host = failingHost(again.startProcess(), ({ operation }) => {
        if (operation !== "write" && operation !== "sync") return undefined;
        calls++;
        return calls >= call ? { kind: "error", code: "EIO" } : undefined;
      });
      const isOpened = await openStore(jsonlBackend(DIRECTORY, { host })).then(
        () => true,
        () => false,
      );
      expect(await recovered(again.capture().afterKill())).toEqual(whole);
      if (isOpened) break;
    }
  });

  test("records of an earlier version, which do not say what they were written after, are not glued to the hole", async () => {
    const machine = await killed([]);
    const host = machine.startProcess();
    const path = await journalIn(host);
    const bytes = await readSimulatedFile(host, path);
    const contents = readJournal(bytes);
    if (contents === undefined) throw new Error("the journal is not readable");
    const blocks = contents.records.map((record, index) =>
      Buffer.from(encodeBlock(contents.head, index + 1, [{ ...record, after: undefined }])),
    );
    blocks[2]?.write("!!!", 90);
    await writeSimulatedFile(host, path, Buffer.concat([bytes.subarray(0, HEAD_BYTES), ...blocks]));
    const { store } = await open(machine.startProcess());
    expect(await contentsOf(store.session("a"))).toEqual(["one", "two", "four", "five"]);
    expect(await store.session("a").append(user("six"))).toEqual({ seq: 6 });
    await store.close();
  });
});

/** An older file was put back, and perhaps gone on with, before the journal was damaged: what the journal has is kept aside. */
describe("the session's file is another one", () => {
  test.each([
    ["its header alone, and the journal begins later", ["two", "three"]],
    ["another record in place of the first", ["three"]],
  ])("%s", async (what, damaged) => {
    // Long ones, so that the file ends before what is damaged.
    const long = "one".padEnd(500, "!");
    const first = (await closedStore(async (store) => await append(store, "a", "0"))).afterKill();
    const older = await readSimulatedFile(first.startProcess(), FILE);
    const synced = await open(first.startProcess());
    await append(synced.store, "a", long);
    await synced.store.close();
    const host = failingHost(first.startProcess(), landingFaults().plan);
    const store = await openStore(jsonlBackend(DIRECTORY, { host }), { onError: () => undefined });
    await append(store, "a", "two", "three", "four");
    const machine = first.capture().afterKill();
    const disk = machine.startProcess();
    const path = await journalIn(disk);
    const bytes = await readSimulatedFile(disk, path);
    for (const text of damaged) bytes.write("!!!", bytes.indexOf(`"content":"${text}"`) + 11);
    await writeSimulatedFile(disk, path, bytes);
    const header = older.subarray(0, older.indexOf("\n") + 1);
    await writeSimulatedFile(disk, FILE, what.startsWith("its header") ? header : older);
    const served = what.startsWith("its header") ? [] : ["0"];
    const { store: again, damage } = await open(machine.startProcess());
    expect(await contentsOf(again.session("a"))).toEqual(served);
    expect(damage.some(({ kept }) => kept?.endsWith(".records"))).toBe(true);
    await again.close();
    const [kept] = await verified(machine);
    expect(kept).toMatchObject({
      reason: expect.stringMatching(/seq .*5/) as string,
      left: expect.any(String) as string,
    });
  });
});

test("where the file has all of it, it is all read, and only the journal is reported", async () => {
  const closed = await closedStore(async (store) => await append(store, "a", "one"));
  const machine = closed.afterKill();
  const process = machine.startProcess();
  const { store } = await open(process);
  await append(store, "a", "two", "three", "four");
  expect(await contentsOf(store.session("a"))).toEqual(["one", "two", "three", "four"]);
  await expect.poll(async () => (await readSimulatedFile(process, FILE)).includes('"four"')).toBe(true);
  process.kill();
  const host = machine.startProcess();
  const path = await journalIn(host);
  const bytes = await readSimulatedFile(host, path);
  bytes.write("!!!", bytes.indexOf('"content":"three"') + 11);
  await writeSimulatedFile(host, path, bytes);
  for (const readOnly of [true, false]) {
    const again = await open(machine.startProcess(), readOnly);
    expect(await contentsOf(again.store.session("a"))).toEqual(["one", "two", "three", "four"]);
    expect(reasonsOf(again.damage)).toEqual([matching("block 2 is damaged")]);
    if (!readOnly) expect(await again.store.session("a").append(user("five"))).toEqual({ seq: 5 });
    await again.store.close();
  }
  expect(await verified(machine)).toEqual([]);
});

test("control: a torn last block is no damage, and the next record has its seq", async () => {
  const machine = await killed(["five"]);
  expect(await verified(machine)).toEqual([]);
  const { store, damage } = await open(machine.startProcess());
  expect(await store.session("a").append(user("other"))).toEqual({ seq: 5 });
  expect(await contentsOf(store.session("a"))).toEqual(["one", "two", "three", "four", "other"]);
  expect(damage).toEqual([]);
  await store.close();
});
