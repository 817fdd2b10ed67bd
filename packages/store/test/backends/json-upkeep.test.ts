/** Verify, repair, reclaim and fork over whole-file JSON: what can be damaged there, and what is left alone. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonBackend } from "../../src/backends/json/json-backend.ts";
import { SessionManager } from "../../src/backends/json/session-manager.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import { openStore } from "../../src/open-store.ts";
import type { Damage } from "../../src/format/session-record.ts";
import type { Store } from "../../src/contract/types.ts";
import { collect, numbered, rejectsWith, view } from "../../src/testing/case-language.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
beforeEach(async () => (directory = await makeTemporaryDirectory()));
afterEach(async () => await removeDirectory(directory));

const open = async (): Promise<Store> =>
  await openStore(jsonBackend(directory), { onDamage: () => undefined });

test("verify reads the files again: what was damaged since is found, named and left as it is", async () => {
  const store = await open();
  await numbered(store.session("good"), 3);
  await numbered(store.session("bad"), 2);
  const file = join(directory, "bad.json");
  const text = (await readFile(file, "utf8")).replaceAll('"content":"2"', '"content":"3"');
  await writeFile(file, text);
  const damage: Damage[] = [
    {
      file,
      offset: 0,
      bytes: Buffer.byteLength(text),
      kind: "corrupt",
      reason: expect.stringContaining("checksum") as string,
      key: "bad",
      left: expect.stringContaining("backup") as string,
    },
  ];
  const report = { sessions: 1, records: 3, damage };
  expect(await store.verify()).toEqual(report);
  expect(await store.repair()).toEqual(report);
  expect(await readFile(file, "utf8")).toBe(text);
  expect(await store.verify({ keys: ["good"] })).toEqual({ sessions: 1, records: 3, damage: [] });
  expect(await store.verify({ keys: ["bad"] })).toEqual({ sessions: 0, records: 0, damage });
  await store.close();
});

test("a file whose key cannot be told belongs to the key of its name", async () => {
  await writeFile(join(directory, "telegram_1.json"), "not JSON");
  const store = await open();
  const { damage } = await store.verify();
  expect(damage).toMatchObject([{ file: join(directory, "telegram_1.json"), bytes: 8, kind: "corrupt" }]);
  expect((await store.verify({ keys: ["telegram:1"] })).damage).toEqual(damage);
  expect((await store.verify({ keys: ["other"] })).damage).toEqual([]);
  await store.close();
});

test("the older of two files of one key is damage, and counts for nothing", async () => {
  const written = (updated: string): string =>
    JSON.stringify({ key: "a:b", messages: [], summary: "", created: updated, updated });
  await writeFile(join(directory, "a_b.json"), written("2024-01-01T00:00:00Z"));
  await writeFile(join(directory, "copy.json"), written("2025-01-01T00:00:00Z"));
  const store = await open();
  const { sessions, damage } = await store.verify();
  expect(sessions).toBe(1);
  expect(damage).toMatchObject([{ file: join(directory, "a_b.json"), key: "a:b" }]);
  await store.close();
});

test("reclaim tells the bytes of the files and leaves them as they are", async () => {
  const store = await open();
  await numbered(store.session("a"), 2);
  await numbered(store.session("b"), 9);
  const bytes = async (name: string): Promise<number> => (await readFile(join(directory, name))).length;
  const all = (await bytes("a.json")) + (await bytes("b.json"));
  expect(await store.reclaim()).toEqual({ bytesBefore: all, bytesAfter: all });
  const one = await bytes("a.json");
  expect(await store.reclaim({ keys: ["a"] })).toEqual({ bytesBefore: one, bytesAfter: one });
  await store.close();
});

test("a fork has a file of its own, sealed for its own id, also of records this version does not know", async () => {
  const store = await open();
  await numbered(store.session("s"), 1);
  await store.close();
  const file = join(directory, "s.json");
  const parsed = JSON.parse(await readFile(file, "utf8")) as { id: string; log: unknown[] };
  const unknown = '{"seq":2,"at":"2030-01-01T00:00:00.000Z","op":"vote","for":"x"';
  parsed.log.push(JSON.parse(withChecksum(unknown, parsed.id).toString()));
  await writeFile(file, JSON.stringify(parsed));
  const again = await open();
  const child = await again.session("s").fork("child");
  await numbered(child, 1);
  await again.close();
  const third = await open();
  const records = await collect(third.session("child").records());
  expect(records.map(({ op }) => op)).toEqual([undefined, "unknown", undefined]);
  expect(records.slice(0, 2)).toEqual(await collect(third.session("s").records()));
  expect((await readdir(directory)).sort()).toEqual(["child.json", "s.json"]);
  expect((await third.verify()).damage).toEqual([]);
  await third.close();
});

test("what cannot be read cannot be forked, and a fork never takes its place", async () => {
  await writeFile(join(directory, "bad.json"), '{"key":"bad"');
  const store = await open();
  await numbered(store.session("s"), 1);
  await rejectsWith("SESSION_DAMAGED", store.session("bad").fork("child"));
  await rejectsWith("SESSION_DAMAGED", store.session("s").fork("bad"));
  expect(await view(store.session("child"))).toEqual([]);
  expect(await readFile(join(directory, "bad.json"), "utf8")).toBe('{"key":"bad"');
  await store.close();
});

test("a SessionManager in memory saves without a file to reclaim", async () => {
  const manager = new SessionManager("");
  await manager.addMessage("s", "user", "hello");
  await manager.save("s");
  await manager.close();
});
