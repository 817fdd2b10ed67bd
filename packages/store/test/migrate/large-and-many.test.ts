/** Long sessions, long lines, and many sessions: what a migration costs and what an ordinary opening costs. */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SessionManager } from "../../src/backends/json/session-manager.ts";
import { countingHost } from "../support/counting-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { migrate, put, sessionOf } from "./support/migration-directory.ts";

let directory: string;
beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});
afterEach(async () => {
  await removeDirectory(directory);
});

test("a long session has a checkpoint about every 256 KiB", async () => {
  const line = (content: string): string => `${JSON.stringify({ role: "user", content })}\n`;
  const lines = Array.from({ length: 2000 }, (_, index) => line(`${index} ${"x".repeat(1000)}`));
  await put(directory, "long.jsonl", lines.join(""));
  await migrate(directory);
  const session = await sessionOf(directory, "long");
  expect(session.live).toHaveLength(2000);
  expect(session.checkpoints).toBeGreaterThanOrEqual(7);
});

test("a line of 11 MiB is a message; one above the limit is named, kept aside, and the others are there", async () => {
  const file = await open(join(directory, "big.jsonl"), "w");
  await file.write('{"role":"user","content":"before"}\n');
  await file.write(`{"role":"user","content":"${"y".repeat(11 * 1024 * 1024)}"}\n`);
  await file.write('{"role":"user","content":"');
  const piece = Buffer.alloc(1024 * 1024, "z");
  for (let count = 0; count < 65; count++) await file.write(piece);
  await file.write('"}\n{"role":"user","content":"behind"}\n');
  await file.close();
  const { report, damage } = await migrate(directory);
  const session = await sessionOf(directory, "big");
  const lengths = session.live.map(({ content }) => String(content).length);
  expect(lengths).toEqual([6, 11 * 1024 * 1024, 6]);
  expect(report.migrated[0]?.untaken).toMatchObject([{ line: 3, reason: "longer than a message may be" }]);
  expect(damage[0]?.bytes).toBeGreaterThan(65 * 1024 * 1024);
});

test("an opening with nothing new reads no session", async () => {
  for (let number = 0; number < 200; number++)
    await put(directory, `s${number}.jsonl`, `{"role":"user","content":"${number}"}\n`);
  await migrate(directory);
  await migrate(directory);
  const { host, counts } = countingHost();
  const { report } = await migrate(directory, host);
  expect(report.migrated).toEqual([]);
  // What is remembered, and nothing else.
  expect(counts.reads).toBe(1);
  expect([counts.writes, counts.syncs]).toEqual([0, 0]);

  await put(directory, "later.jsonl", '{"role":"user","content":"x"}\n');
  expect((await migrate(directory)).report.migrated.map(({ key }) => key)).toEqual(["later"]);
});

test("a file of our own json backend is taken over record by record, with its id", async () => {
  const manager = new SessionManager(directory);
  for (const content of ["one", "two", "three"]) await manager.addMessage("k:1", "user", content);
  await manager.truncateHistory("k:1", 1);
  await manager.setSummary("k:1", "counted");
  await manager.save("k:1");
  await manager.close();
  const { report } = await migrate(directory);
  expect(report.migrated).toMatchObject([{ format: "longhand-json", messages: 3, hidden: 2 }]);
  const session = await sessionOf(directory, "k:1");
  expect(session.messages).toHaveLength(3);
  expect(session.live.map(({ content }) => content)).toEqual(["three"]);
  expect(session.state.summary).toBe("counted");
});
