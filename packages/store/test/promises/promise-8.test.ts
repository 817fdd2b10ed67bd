/** The files are the truth: after a clean close the session files alone are a complete store. */

import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { recordsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(parent);
});

async function everythingIn(store: Store): Promise<unknown> {
  const everything: unknown[] = [];
  for await (const info of store.list({ order: "key" })) {
    const session = store.session(info.key);
    everything.push({ info, records: await recordsOf(session), messages: await session.messages() });
  }
  return everything;
}

async function readEverything(where: string): Promise<unknown> {
  const { store, damage, errors } = await openCollecting(where);
  const everything = await everythingIn(store);
  await store.close();
  expect([damage, errors]).toEqual([[], []]);
  return everything;
}

async function writeSome(): Promise<unknown> {
  const store = await openStore(directory);
  for (const key of ["telegram:1", "default", "../x", "🙂"]) {
    const session = store.session(key);
    await session.append([user(`one of ${key}`), user("two"), user("three")], { id: "first" });
    await session.setTitle(`Title of ${key}`);
    await session.setTags(["a", "b"]);
    await session.compact({ summary: "one", keepFrom: 2 });
    await session.note("usage", { tokens: 12 });
    await session.rewind({ messages: 1 });
    await session.append(user("four"));
  }
  const everything = await everythingIn(store);
  await store.close();
  expect(everything).toHaveLength(4);
  return everything;
}

/** What a person would do who takes the visible files along. */
async function copySessionFiles(): Promise<string> {
  const elsewhere = join(parent, "copy");
  await mkdir(elsewhere, { mode: 0o700 });
  for (const name of await readdir(directory)) {
    if (name.endsWith(".jsonl")) await copyFile(join(directory, name), join(elsewhere, name));
  }
  return elsewhere;
}

describe("promise 8: the files are the truth", () => {
  test("after a clean close no journal is left", async () => {
    await writeSome();
    expect(await readdir(join(directory, ".longhand/journal"))).toEqual([]);
  });

  test("after a clean close everything of the store's own may be deleted", async () => {
    const written = await writeSome();
    await rm(join(directory, ".longhand"), { recursive: true });
    expect(await readEverything(directory)).toEqual(written);
    // And once more, now that it has made it anew.
    expect(await readEverything(directory)).toEqual(written);
  });

  test("after a clean close the session files are complete elsewhere, also ids that make a retry safe", async () => {
    const written = await writeSome();
    const elsewhere = await copySessionFiles();
    expect(await readEverything(elsewhere)).toEqual(written);
    const store = await openStore(elsewhere);
    const retry = [user("one of default"), user("two"), user("three")];
    // A part of it was cut; with all of it in the view again, the retry is known.
    await store.session("default").rewind({ to: 3 });
    expect(await store.session("default").append(retry, { id: "first" })).toEqual({ seq: 3 });
    await store.close();
  });

  test("control: after a crash they may not be, which is why the page on the format says to open the store once", async () => {
    const writer = new ChildProcess("hold-store", directory, "no-landing");
    await writer.printed(1);
    await writer.ask("append default hello");
    await writer.kill();
    expect(await readEverything(await copySessionFiles())).toMatchObject([{ messages: [] }]);
    expect(await readEverything(directory)).toMatchObject([{ messages: [user("hello")] }]);
  });
});
