/** Seed faults 24 and 25: archives that hide, overwrite and vanish from the list. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kernelStore, openStore, type SessionInfo, type Store } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const ID = "run-1";
let directory: string;
let store: Store;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  store = await openStore(directory);
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

async function reopen(): Promise<void> {
  await store.close();
  store = await openStore(directory);
}

async function listed(status: "active" | "archived" | "trashed" | "any"): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for await (const info of store.list({ status, order: "key" })) found.push(info);
  return found;
}

describe("seed fault 24: a save after an archive hides it, and the next archive overwrites it", () => {
  test("save, archive, save, archive: nothing is hidden, nothing is overwritten", async () => {
    for (const [round, contents] of [["one"], ["one", "two"], ["one", "two", "three"]].entries()) {
      const kernel = kernelStore(store);
      expect(await kernel.save(ID, user(contents.at(-1) ?? ""))).toEqual({ seq: round + 1 });
      expect(await kernel.load(ID)).toEqual(contents.map(user));
      await kernel.archive(ID);
      expect(await kernel.load(ID)).toEqual(contents.map(user));
      await reopen();
    }
    expect(await listed("any")).toMatchObject([{ key: ID, status: "archived", count: 3 }]);
  });

  test("two sessions of one id, both archived: both are there, and each can be had back", async () => {
    const kernel = kernelStore(store);
    await kernel.save(ID, user("first"));
    await kernel.archive(ID);
    // A second session of the id, as a fork makes it: writing alone would bring the archived one back.
    await kernel.save("elsewhere", user("second"));
    await store.session("elsewhere").fork(ID);
    await kernel.archive(ID);
    await reopen();
    const archived = await listed("archived");
    expect(archived.map(({ key }) => key)).toEqual([ID, ID]);
    expect(new Set(archived.map(({ id }) => id)).size).toBe(2);
    const found: string[][] = [];
    for (const { id } of archived) {
      await store.session(ID).restore({ id });
      found.push(await contentsOf(store.session(ID)));
      await store.session(ID).archive();
    }
    expect(found.sort()).toEqual([["first"], ["second"]]);
  });

  test("an archive made while a save is under way keeps what was saved", async () => {
    const kernel = kernelStore(store);
    await kernel.save(ID, user("one"));
    await Promise.all([kernel.save(ID, user("two")), kernel.archive(ID), kernel.save(ID, user("three"))]);
    await reopen();
    expect(await kernelStore(store).load(ID)).toEqual(["one", "two", "three"].map(user));
  });
});

test("seed fault 25: archived sessions are invisible to the list", async () => {
  const kernel = kernelStore(store);
  for (const id of ["active", "archived", "deleted"]) await kernel.save(id, user(`in ${id}`));
  await kernel.archive("archived");
  await kernel.delete("deleted");
  for (let opening = 0; opening < 2; opening++) {
    expect(await listed("archived")).toMatchObject([{ key: "archived", status: "archived", count: 1 }]);
    expect(await listed("any")).toMatchObject([
      { key: "active", status: "active" },
      { key: "archived", status: "archived" },
      { key: "deleted", status: "trashed" },
    ]);
    // Control: the list does tell them apart.
    expect((await listed("active")).map(({ key }) => key)).toEqual(["active"]);
    expect(await kernelStore(store).exists("archived")).toBe(true);
    expect((await store.search("in archived")).map(({ key }) => key)).toEqual(["archived"]);
    await reopen();
  }
});
