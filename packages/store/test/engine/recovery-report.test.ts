/** What is found wrong while a dead instance is taken over is gone from its place: the report of its finder has it. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { user } from "../support/conversation.ts";
import {
  DIRECTORY,
  journalIn,
  readSimulatedFile,
  unappliedStore,
  writeSimulatedFile,
} from "../support/simulated-store.ts";

/** A dead writer whose first block is damaged: a valid one behind it proves that it was acknowledged. */
async function damagedJournal(): Promise<{ host: Host; path: string }> {
  const capture = await unappliedStore(async (store) => {
    for (const content of ["one", "two", "three"]) await store.session("a").append(user(content));
  });
  const host = capture.afterKill().startProcess();
  const path = await journalIn(host);
  const bytes = await readSimulatedFile(host, path);
  const at = bytes.indexOf('"content":"one"');
  bytes[at + 12] = (bytes[at + 12] ?? 0) ^ 1;
  await writeSimulatedFile(host, path, bytes);
  return { host, path };
}

test("the writer that has taken it over reports it until it has repaired it", async () => {
  const { host, path } = await damagedJournal();
  const told: string[] = [];
  const store = await openStore(jsonlBackend(DIRECTORY, { host }), {
    onDamage: ({ file }) => told.push(file),
  });
  expect(told).toEqual([path]);
  const found = [{ file: path, kind: "corrupt" }];
  expect((await store.verify()).damage).toMatchObject(found);
  expect((await store.verify()).damage).toMatchObject(found);
  // It may have held records of any session, and only a repair of the whole store ends the report.
  const left = expect.stringContaining("repair the whole store") as string;
  expect((await store.verify({ keys: ["a"] })).damage).toMatchObject([{ file: path, left }]);
  expect((await store.repair({ keys: ["a"] })).damage).toMatchObject([{ file: path, left }]);
  expect((await store.repair()).damage).toMatchObject(found);
  expect((await store.verify()).damage).toEqual([]);
  await store.close();
});
