/** What is removed for good is gone, can be asked for again, leaves nothing that verify would report; what came back stays. */

import { readdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  store = await openStore(jsonlBackend(directory, { segmentBytes: 400 }));
  for (let number = 1; number <= 12; number++) await store.session("a").append(user(`message ${number}`));
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

describe("removing for good", () => {
  test("a session with sealed files leaves nothing that verify would report", async () => {
    expect(await readdir(`${directory}/segments`)).toHaveLength(1);
    await store.session("a").delete({ forever: true });
    expect(await store.session("a").exists()).toBe(false);
    expect(await store.verify()).toEqual({ sessions: 0, records: 0, damage: [] });
  });

  test("can be done again after an attempt that got as far as its note", async () => {
    const id = (await store.session("a").state())?.id ?? "";
    await store.session("b").append(user("one"));
    await store.session("b").delete({ forever: true });
    // As if it had been killed right after the note.
    await writeFile(`${directory}/.longhand/removed/${id}`, "");
    await store.session("a").delete();
    expect(await store.purge()).toHaveLength(1);
    expect(await store.session("a").exists()).toBe(false);
  });

  test("a fork keeps what it shares with a parent that is removed", async () => {
    const before = await contentsOf(store.session("a"));
    await store.session("a").fork("child");
    await store.session("a").delete({ forever: true });
    expect(await contentsOf(store.session("child"))).toEqual(before);
    expect((await store.verify()).damage).toEqual([]);
  });

  test("two who purge and one who restores at the same time: each session is gone, or back, never half", async () => {
    const other = await openStore(directory);
    for (let round = 0; round < 5; round++) {
      await store.session("a").append(user(`round ${round}`));
      await store.session("a").delete();
      const restored = await Promise.allSettled([
        other.session("a").restore(),
        store.purge(),
        other.purge(),
      ]).then(([first]) => first.status === "fulfilled");
      expect(await store.session("a").exists()).toBe(restored);
      const notes = await readdir(`${directory}/.longhand/removed`).catch((): string[] => []);
      const id = (await store.session("a").state())?.id;
      expect(notes.includes(id ?? "")).toBe(false);
    }
    await other.close();
    expect((await store.verify()).damage).toEqual([]);
  });
});
