/** A migration that is taken back: the originals are there again byte for byte, unless the new session was written to. */

import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { undoJsonlMigration } from "../../src/backends/jsonl/undo-jsonl-migration.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { migrate, openStore, undoMigration, type SessionRecord } from "../../src/index.ts";
import { previewUndo, undoMigration as undoOn } from "../../src/migrate/undo-migration.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { bytesIn, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { copyFixture } from "./support/migration-directory.ts";
import { placesOf } from "./support/migration-places.ts";
import {
  DIRECTORY,
  lostOriginal,
  machineWithOriginals,
  migrateOn,
  ORIGINALS,
  touched,
} from "./support/simulated-migration.ts";

let directory: string;
beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});
afterEach(async () => {
  await removeDirectory(directory);
});

const visible = (all: Map<string, string>): [string, string][] =>
  [...all]
    .filter(([name]) => !name.startsWith(".longhand") && name !== "archive" && name !== "aliases")
    .sort();

describe.each(["picoclaw-json", "picoclaw-jsonl", "zeroclaw", "kernel"])("%s", (fixture) => {
  beforeEach(async () => {
    await copyFixture(fixture, directory);
  });

  test("everything is as it was, and can be migrated again", async () => {
    const before = visible(await bytesIn(directory));
    const times = await Promise.all(
      before.map(async ([name]) => (await stat(join(directory, name))).mtimeMs),
    );
    const { keys } = await migrate(directory);
    const preview = await undoMigration(directory, { dryRun: true });
    expect(visible(await bytesIn(directory))).not.toEqual(before);
    const { undone, notUndone } = await undoMigration(directory);
    expect(undone.map(({ key }) => key).sort()).toEqual([...keys].sort());
    expect(preview.undone).toHaveLength(undone.length);
    // What was migrated before, by somebody else, has no session here.
    expect(notUndone.every(({ key }) => key === undefined)).toBe(true);
    expect(visible(await bytesIn(directory))).toEqual(before);
    expect(
      await Promise.all(before.map(async ([name]) => (await stat(join(directory, name))).mtimeMs)),
    ).toEqual(times);
    expect((await migrate(directory)).keys).toEqual(keys);
  });
});

describe("partly", () => {
  beforeEach(async () => {
    for (const name of ["a", "b", "c"])
      await writeFile(join(directory, `${name}.jsonl`), `{"role":"user","content":"${name}"}\n`);
    await migrate(directory);
  });

  test("a session that was written to stays and is named; the others are undone", async () => {
    const store = await openStore(directory);
    await store.session("b").append(user("more"));
    await store.close();
    const { undone, notUndone } = await undoMigration(directory);
    expect(undone.map(({ key }) => key)).toEqual(["a", "c"]);
    expect(notUndone).toMatchObject([{ key: "b", reason: expect.stringContaining("written to") as string }]);
    const again = await openStore(directory, { onForeign: () => undefined });
    expect(await contentsOf(again.session("b"))).toEqual(["b", "more"]);
    expect(await again.session("a").exists()).toBe(false);
    await again.close();
    expect(await readFile(join(directory, "a.jsonl"), "utf8")).toBe('{"role":"user","content":"a"}\n');
  });

  test("an original that was changed or removed is not put in the place of its session", async () => {
    await writeFile(join(directory, "a.jsonl.migrated"), '{"role":"user","content":"A"}\n');
    await rm(join(directory, "c.jsonl.migrated"));
    const { undone, notUndone } = await undoMigration(directory);
    expect(undone.map(({ key }) => key)).toEqual(["b"]);
    expect(notUndone.map(({ key }) => key).filter((key) => key !== undefined)).toEqual(["a", "c"]);
    const store = await openStore(directory, { onForeign: () => undefined });
    expect(await contentsOf(store.session("a"))).toEqual(["a"]);
    expect(await contentsOf(store.session("c"))).toEqual(["c"]);
    await store.close();
  });

  test("a session that another process holds is left to it", async () => {
    const store = await openStore(directory);
    const held = await store.session("a").lock();
    const answer = undoOnDisk();
    await expect(answer).resolves.toMatchObject({ undone: [{ key: "b" }, { key: "c" }] });
    await held[Symbol.asyncDispose]();
    await store.close();
  });

  async function undoOnDisk(): Promise<unknown> {
    const silent = { onDamage: () => undefined, onError: () => undefined };
    return await undoJsonlMigration(nodeHost, directory, { ...silent, dryRun: false, lockWait: 50 });
  }
});

describe("a session that no migration made", () => {
  const original = '{"role":"user","content":"a"}\n';
  const recordsOf = async (key: string): Promise<SessionRecord[]> => {
    const store = await openStore(directory, { readOnly: true });
    const records: SessionRecord[] = [];
    for await (const record of store.session(key).records()) records.push(record);
    await store.close();
    return records;
  };

  beforeEach(async () => {
    await writeFile(join(directory, "a.jsonl"), original);
    await migrate(directory);
  });

  test("stays, though its records are a copy of a migrated one", async () => {
    const store = await openStore(directory);
    await store.session("copy").importRecords(await recordsOf("a"));
    await store.session("a").append(user("more"));
    await store.close();
    const { undone, notUndone } = await undoMigration(directory);
    expect(undone).toEqual([]);
    expect(notUndone).toMatchObject([{ key: "a" }]);
    const again = await openStore(directory, { onForeign: () => undefined });
    expect(await contentsOf(again.session("copy"))).toEqual(["a"]);
    await again.close();
  });

  test("stays, though a note says that it came from no file", async () => {
    const store = await openStore(directory);
    await store.session("forged").append(user("mine"));
    await store.session("forged").note("migrated-from", { files: [] });
    await store.close();
    expect((await undoMigration(directory)).undone.map(({ key }) => key)).toEqual(["a"]);
    const again = await openStore(directory, { onForeign: () => undefined });
    expect(await contentsOf(again.session("forged"))).toEqual(["mine"]);
    await again.close();
  });
});

test("after a migration that was killed at any operation, an undo brings every original back", async () => {
  const machine = await machineWithOriginals();
  const moments: { after: string; capture: ReturnType<typeof machine.capture> }[] = [];
  machine.onOperation(({ number, operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ after: `${number} ${operation} ${path}`, capture: machine.capture() });
  });
  await migrateOn(machine.startProcess());
  const silent = { onDamage: () => undefined, onError: () => undefined };
  for (const { after, capture } of moments) {
    const crashed = capture.afterKill();
    const host = crashed.startProcess();
    const { notUndone } = await undoJsonlMigration(host, DIRECTORY, {
      ...silent,
      dryRun: false,
      lockWait: 50,
    });
    expect([after, notUndone]).toEqual([after, []]);
    expect([after, await touched(crashed.startProcess())]).toEqual([after, undefined]);
  }
  expect(moments.length).toBeGreaterThan(Object.keys(ORIGINALS).length);
});

test("a file in the place of an original is not written over", async () => {
  const at = "2026-01-01T00:00:00Z";
  await writeFile(
    join(directory, "x.json"),
    JSON.stringify({ key: "k", messages: [], created: at, updated: at }),
  );
  await migrate(directory);
  await writeFile(join(directory, "x.json"), "{}");
  const { undone, notUndone } = await undoMigration(directory);
  expect(undone).toEqual([]);
  expect(notUndone).toMatchObject([
    { key: "k", reason: expect.stringContaining("x.json is there already") as string },
  ]);
  expect(await readFile(join(directory, "x.json"), "utf8")).toBe("{}");
});

test("in a directory that is not there, nothing is made", async () => {
  expect(await undoMigration(join(directory, "none"))).toMatchObject({ undone: [], notUndone: [] });
  expect(await namesIn(directory)).toEqual([]);
});

describe("a crash after any operation of an undo", () => {
  const withKey = async (_key: string, task: () => Promise<void>): Promise<void> => await task();

  test("loses nothing, and running it again completes it", async () => {
    const machine = await machineWithOriginals();
    await migrateOn(machine.startProcess());
    const moments: { after: string; capture: ReturnType<typeof machine.capture> }[] = [];
    machine.onOperation(({ number, operation, path, changedDisk }) => {
      if (changedDisk) moments.push({ after: `${number} ${operation} ${path}`, capture: machine.capture() });
    });
    const done = await undoOn(machine.startProcess().files, placesOf(DIRECTORY), withKey);
    expect(done.notUndone).toEqual([]);
    let states = 0;
    for (const { after, capture } of moments) {
      for (const crashed of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 20 })]) {
        states++;
        expect([after, await lostOriginal(crashed.startProcess())]).toEqual([after, undefined]);
        const { files } = crashed.startProcess();
        await undoOn(files, placesOf(DIRECTORY), withKey);
        expect([after, await touched(crashed.startProcess())]).toEqual([after, undefined]);
        expect((await previewUndo(files, placesOf(DIRECTORY))).undone).toEqual([]);
      }
    }
    expect(moments.length).toBeGreaterThan(Object.keys(ORIGINALS).length);
    expect(states).toBeGreaterThan(50);
  });

  test("control: a session that goes before its original is back leaves a state that cannot be completed", async () => {
    const machine = await machineWithOriginals();
    const host = machine.startProcess();
    await migrateOn(host);
    await host.files.unlink(`${DIRECTORY}/alice.jsonl`);
    await undoOn(host.files, placesOf(DIRECTORY), withKey);
    expect(await touched(machine.startProcess())).toBeDefined();
  });
});
