/** Two files with one session id: a copy made by hand. Nothing is renamed over either, and nothing of them is removed. */

import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, type Store } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { bytesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let path: string;
let store: Store;
let id: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  path = sessionFile(directory, "k");
  // Sealed files after a few records: what a purge would remove.
  ({ store } = await openCollecting(jsonlBackend(directory, { segmentBytes: 200 })));
  for (const text of ["one", "two", "three"]) await store.session("k").append(user(text));
  id = (await store.session("k").state())?.id ?? "";
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

const placeOf = (place: "archive" | "trash"): string => join(directory, place, `k.${id}.jsonl`);

/** Of the sessions and their sealed files; what is in `.longhand` is the store's own. */
async function sessionBytes(): Promise<unknown> {
  return [...(await bytesIn(directory))].filter(([name]) => !name.startsWith(".longhand"));
}

async function isRefused(operation: () => Promise<unknown>, ...paths: readonly string[]): Promise<void> {
  const before = await sessionBytes();
  const error: unknown = await operation().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "SESSION_DAMAGED" });
  for (const each of paths) expect(String(error)).toContain(each);
  expect(await sessionBytes()).toEqual(before);
}

test("S5: an archived session copied to its active name, gone on with, and deleted, is refused and keeps all", async () => {
  await store.session("k").archive();
  await copyFile(placeOf("archive"), path);
  for (const text of ["four", "five", "six", "seven"]) await store.session("k").append(user(text));
  await isRefused(() => store.session("k").delete(), path, placeOf("archive"));
  const all = ["one", "two", "three", "four", "five", "six", "seven"];
  expect(await contentsOf(store.session("k"))).toEqual(all);
  // The way out: one of the two is moved out of the store.
  await rm(placeOf("archive"));
  await store.session("k").delete();
  await store.session("k").restore();
  expect(await contentsOf(store.session("k"))).toEqual(all);
});

test("S5: a trashed session copied to its active name keeps its sealed files when the trash is emptied", async () => {
  await store.session("k").delete();
  await copyFile(placeOf("trash"), path);
  await isRefused(() => store.purge(), path, placeOf("trash"));
  await isRefused(() => store.purge({ dryRun: true }), path);
  expect(await contentsOf(store.session("k"))).toEqual(["one", "two", "three"]);
  await rm(path);
  expect(await store.purge()).toMatchObject([{ key: "k", id }]);
});

describe.each(["archive", "trash"] as const)("a copy of the active session in %s", (place) => {
  beforeEach(async () => {
    await mkdir(join(directory, place), { recursive: true, mode: 0o700 });
    await copyFile(path, placeOf(place));
  });

  test("is named by archive, delete and fork, which change nothing", async () => {
    const session = store.session("k");
    await isRefused(() => session.archive(), path, placeOf(place));
    await isRefused(() => session.delete(), path, placeOf(place));
    await isRefused(() => session.delete({ forever: true }), path, placeOf(place));
    await isRefused(() => session.fork("child"), path, placeOf(place));
    expect(await session.append(user("four"))).toEqual({ seq: 4 });
  });

  test("is reported by verify, and left as it is by repair", async () => {
    const { damage } = await store.verify();
    expect(damage).toMatchObject([{ file: placeOf(place), left: expect.any(String) as string }]);
    expect(damage[0]?.reason).toContain(path);
    const before = await sessionBytes();
    expect((await store.repair()).damage).toHaveLength(1);
    expect(await sessionBytes()).toEqual(before);
  });
});

test("a copy in the trash of an archived session: restoring it, and going on with its key, are refused", async () => {
  await store.session("k").archive();
  await mkdir(join(directory, "trash"), { mode: 0o700 });
  await copyFile(placeOf("archive"), placeOf("trash"));
  await isRefused(() => store.session("k").restore(), placeOf("archive"), placeOf("trash"));
  await isRefused(() => store.session("k").append(user("four")), placeOf("archive"), placeOf("trash"));
  await isRefused(() => store.session("k").delete(), placeOf("archive"), placeOf("trash"));
});

test("a copy under another active name keeps the session from being removed for good", async () => {
  const copy = sessionFile(directory, "other");
  await copyFile(path, copy);
  await isRefused(() => store.session("k").delete({ forever: true }), path, copy);
  await store.session("k").delete();
  await isRefused(() => store.purge(), copy, placeOf("trash"));
  expect(await readFile(copy, "utf8")).toContain('"key":"k"');
  // Also if its header is damaged.
  await writeFile(copy, (await readFile(copy, "utf8")).replace("longhand", "lOnghand"));
  await isRefused(() => store.purge(), copy, placeOf("trash"));
  await rm(copy);
  expect(await store.purge()).toHaveLength(1);
});

test("a file that is not the session its name says is not removed for another", async () => {
  await store.session("k").delete();
  const wrong = join(directory, "trash", "k.01AAAAAAAAAAAAAAAAAAAAAAAA.jsonl");
  await copyFile(placeOf("trash"), wrong);
  await isRefused(() => store.session("k").delete({ forever: true }), wrong);
});

test("control: with one file for the id, everything goes through", async () => {
  const session = store.session("k");
  await session.archive();
  await session.restore();
  await session.fork("child");
  await session.delete();
  expect(await store.purge()).toHaveLength(1);
  expect(await contentsOf(store.session("child"))).toEqual(["one", "two", "three"]);
  expect((await store.verify()).damage).toEqual([]);
});
