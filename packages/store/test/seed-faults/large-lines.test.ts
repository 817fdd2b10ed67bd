/** Seed fault 2: what can be written can be read; what cannot be read is refused when it is written. */

import { stat } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const MIB = 1024 * 1024;
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("seed fault 2: a line of more than 10 MiB bricks the session", async () => {
  const large = "x".repeat(10 * MIB + 10);
  const store = await openStore(directory);
  const session = store.session("a");
  await session.append(user("before"));
  await session.append(user(large));
  await session.append(user("after"));
  expect(await contentsOf(session)).toEqual(["before", large, "after"]);
  await session.truncate({ keepLast: 2 });
  await store.close();
  const again = await openStore(directory);
  expect(await contentsOf(again.session("a"))).toEqual([large, "after"]);
  expect((await again.session("a").messages({ last: 1 }))[0]).toEqual(user("after"));
  await again.close();
});

test("seed fault 2: what is larger than 64 MiB is refused at the write, and nothing has changed", async () => {
  const store = await openStore(directory);
  const session = store.session("a");
  await session.append(user("before"));
  const state = await session.state();
  // The limit counts the JSON: with its role and braces this message is just above it.
  const tooLarge = user("x".repeat(64 * MIB - 10));
  await expect(session.append(tooLarge)).rejects.toMatchObject({ code: "MESSAGE_TOO_LARGE" });
  await expect(session.append([user("in the same batch"), tooLarge])).rejects.toMatchObject({
    code: "MESSAGE_TOO_LARGE",
  });
  await expect(session.replace([tooLarge])).rejects.toMatchObject({ code: "MESSAGE_TOO_LARGE" });
  // And bytes, not characters.
  await expect(session.append(user("é".repeat(32 * MIB)))).rejects.toMatchObject({
    code: "MESSAGE_TOO_LARGE",
  });
  expect(await session.state()).toEqual(state);
  expect(await session.append(user("after"))).toEqual({ seq: 2 });
  await store.close();
  expect((await stat(sessionFile(directory, "a"))).size).toBeLessThan(1000);
});

test("seed fault 2: the largest message that is taken is read back", async () => {
  const largest = user("x".repeat(64 * MIB - '{"role":"user","content":""}'.length));
  // A disk in memory: two writes of 64 MiB would take a real one seconds.
  const host = new SimulatedMachine().startProcess();
  const store = await openStore(jsonlBackend("/store", { host }));
  await store.session("a").append(largest);
  await store.close();
  const again = await openStore(jsonlBackend("/store", { host }));
  const [message] = await again.session("a").messages();
  expect(message?.content === largest.content).toBe(true);
  await again.close();
});
