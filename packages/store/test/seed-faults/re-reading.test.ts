/** Seed fault 10: a history that did not change is not read again as a whole. */

import { stat } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore, type Message } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KIB = 1024;
const MESSAGES = 20_000;
const contentOf = (number: number): string => `${number} ${"word ".repeat(205)}`;
let directory: string;
let bytesRead: number;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  bytesRead = 0;
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("seed fault 10: GetHistory re-reads and re-parses the whole file on each call", async () => {
  const host = observedHost(nodeHost, ({ operation, bytes }) => {
    if (operation === "read") bytesRead += bytes;
  });
  const writer = await openStore(directory);
  for (let first = 0; first < MESSAGES; first += 100) {
    const batch = Array.from({ length: 100 }, (_, index) => user(contentOf(first + index)));
    await writer.session("a").append(batch);
  }
  await writer.close();
  const { size } = await stat(sessionFile(directory, "a"));
  expect(size).toBeGreaterThan(20 * KIB * KIB);

  const store = await openStore(jsonlBackend(directory, { host }));
  const session = store.session("a");
  const lastFive = async (): Promise<Message[]> => await session.messages({ last: 5 });
  const expected = [19_995, 19_996, 19_997, 19_998, 19_999].map((number) => user(contentOf(number)));
  // The counter counts: whoever wants all of it reads all of it.
  expect(await session.messages()).toHaveLength(MESSAGES);
  expect(bytesRead).toBeGreaterThanOrEqual(size);

  // Back to the checkpoint before what is wanted, and on from there: the same for the first call and for the next.
  for (const read of [lastFive, lastFive]) {
    bytesRead = 0;
    expect(await read()).toEqual(expected);
    expect(bytesRead).toBeGreaterThan(0);
    expect(bytesRead).toBeLessThan(3 * KIB * KIB);
  }
  bytesRead = 0;
  expect(await session.messages({ from: 10_000, to: 10_002 })).toHaveLength(3);
  expect(bytesRead).toBeLessThan(6 * KIB * KIB);

  await session.append(user("more"));
  bytesRead = 0;
  await session.state();
  await session.exists();
  await session.append(user("and more"));
  // Before a record is applied, the end of the line before it is looked at: a few bytes, however long the file is.
  expect(bytesRead).toBeLessThanOrEqual(100);
  expect((await lastFive()).at(-1)).toEqual(user("and more"));
  expect(bytesRead).toBeLessThan(2 * KIB * KIB);
  await store.close();
});
