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
const MESSAGES = 2000;
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
  await writer.session("a").append(Array.from({ length: MESSAGES }, (_, index) => user(contentOf(index))));
  await writer.close();
  const { size } = await stat(sessionFile(directory, "a"));
  expect(size).toBeGreaterThan(2 * KIB * KIB);

  const store = await openStore(jsonlBackend(directory, { host }));
  const session = store.session("a");
  const lastFive = async (): Promise<Message[]> => await session.messages({ last: 5 });
  const expected = [1995, 1996, 1997, 1998, 1999].map((number) => user(contentOf(number)));
  expect(await lastFive()).toEqual(expected);
  // The counter counts: the first use reads all of it.
  expect(bytesRead).toBeGreaterThanOrEqual(size);

  bytesRead = 0;
  expect(await lastFive()).toEqual(expected);
  expect(await session.messages({ from: 1000, to: 1002 })).toHaveLength(3);
  expect(bytesRead).toBeGreaterThan(0);
  expect(bytesRead).toBeLessThan(512 * KIB);

  bytesRead = 0;
  await session.state();
  await session.exists();
  await session.append(user("more"));
  expect(bytesRead).toBe(0);
  expect((await lastFive()).at(-1)).toEqual(user("more"));
  expect(bytesRead).toBeLessThan(300 * KIB);
  await store.close();
});
