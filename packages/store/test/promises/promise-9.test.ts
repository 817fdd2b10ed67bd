/** Nothing vanishes by itself: cutting changes what the model sees, not what is kept. */

import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Session } from "../../src/index.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEY = "a";
const CONTENTS = ["apple pie", "banana bread", "cherry cake", "date roll"];
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** In a store of its own: when it is closed, everything is in the file. */
async function inStore<T>(use: (session: Session) => Promise<T>): Promise<T> {
  const store = await openStore(directory);
  const result = await use(store.session(KEY));
  await store.close();
  return result;
}

/** In any order of the records: what a search for each message finds. */
async function findable(): Promise<string[]> {
  const store = await openStore(directory);
  const found: string[] = [];
  for (const content of CONTENTS) {
    for (const { message } of await store.search(content)) found.push(message.content as string);
  }
  await store.close();
  return found;
}

type Cut = readonly [name: string, cut: (session: Session) => Promise<unknown>, view: readonly string[]];
const CUTS: readonly Cut[] = [
  ["truncate to the last", async (session) => await session.truncate({ keepLast: 1 }), ["date roll"]],
  ["truncate to nothing", async (session) => await session.truncate({ keepLast: 0 }), []],
  ["compact", async (session) => await session.compact({ summary: "fruit", keepFrom: 4 }), ["date roll"]],
  ["rewind", async (session) => await session.rewind({ messages: 3 }), ["apple pie"]],
  ["rewind to the beginning", async (session) => await session.rewind({ to: 0 }), []],
  ["replace", async (session) => await session.replace([user("new")]), ["new"]],
  ["replace by nothing", async (session) => await session.replace([], { summary: "gone" }), []],
];

describe("promise 9: nothing vanishes by itself", () => {
  test.each(CUTS)(
    "%s: out of the view, but in the records, in the search and in the file",
    async (_, cut, view) => {
      const before = await inStore(async (session) => {
        await session.append(CONTENTS.map(user));
        return await recordsOf(session);
      });
      const bytes = await readFile(sessionFile(directory, KEY));
      const after = await inStore(async (session) => {
        await cut(session);
        expect(await contentsOf(session)).toEqual(view);
        return await recordsOf(session);
      });
      expect(after.length).toBeGreaterThan(before.length);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(await findable()).toEqual(CONTENTS);
      const grown = await readFile(sessionFile(directory, KEY));
      expect(grown.length).toBeGreaterThan(bytes.length);
      expect(grown.subarray(0, bytes.length)).toEqual(bytes);
      // It can all be had back.
      const restored = await inStore(async (session) => {
        await session.rewind({ to: CONTENTS.length });
        return await contentsOf(session);
      });
      expect(restored).toEqual(CONTENTS);
    },
  );

  test("through all of them, one after another, the file only grows", async () => {
    await inStore(async (session) => await session.append(CONTENTS.map(user)));
    let bytes = await readFile(sessionFile(directory, KEY));
    for (const [, cut] of CUTS) {
      await inStore(async (session) => {
        await session.rewind({ to: CONTENTS.length });
        await cut(session);
      });
      const grown = await readFile(sessionFile(directory, KEY));
      expect(grown.subarray(0, bytes.length)).toEqual(bytes);
      bytes = grown;
    }
    expect(await findable()).toEqual(CONTENTS);
  });
});
