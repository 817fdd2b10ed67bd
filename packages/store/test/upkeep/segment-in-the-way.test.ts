/** A file in `segments/` under the name that a seal or a compression needs: it is never written over and never hidden. */

import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting, type CollectingStore } from "../support/open-collecting.ts";
import { damagedCopies, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;
let older: string;
let segments: string;

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "store");
  older = join(root, "older.jsonl");
});

afterEach(async () => {
  await removeDirectory(root);
});

async function append(store: CollectingStore["store"], ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await store.session("k").append(user(text));
}

const readSegment = async (name: string): Promise<string> =>
  gunzipSync(await readFile(join(segments, name))).toString();

/** "two" and "three" are in a sealed file that the older version, which is put back, does not name. */
async function putOlderBack(): Promise<void> {
  const first = await openCollecting(directory);
  await append(first.store, "one");
  await first.store.close();
  await copyFile(sessionFile(directory, "k"), older);
  const { store } = await openCollecting(directory);
  await append(store, "two", "three");
  await store.reclaim({ seal: true });
  await append(store, "four");
  segments = join(directory, "segments", (await store.session("k").state())?.id ?? "");
  await store.close();
  await copyFile(older, sessionFile(directory, "k"));
  expect(await readdir(segments)).toEqual(["0.jsonl.gz"]);
}

test("a seal refuses the number of a compressed file that no chain names, and names the file", async () => {
  await putOlderBack();
  const first = await openCollecting(directory);
  await append(first.store, "new");
  await expect(first.store.reclaim({ seal: true, keys: ["k"] })).rejects.toMatchObject({
    code: "SESSION_DAMAGED",
    detail: { file: join(segments, "0.jsonl.gz") },
  });
  expect(await readdir(segments)).toEqual(["0.jsonl.gz"]);
  expect(await readSegment("0.jsonl.gz")).toContain("three");
  await first.store.close();
  const { store } = await openCollecting(directory);
  expect((await store.verify()).damage).toMatchObject([{ file: join(segments, "0.jsonl.gz") }]);
  // The session goes on meanwhile, and a repair moves the file out of the way.
  await append(store, "newer");
  await store.repair();
  await store.reclaim({ seal: true, keys: ["k"] });
  expect(await contentsOf(store.session("k"))).toEqual(["one", "new", "newer"]);
  expect((await store.verify()).damage).toEqual([]);
  const [kept = ""] = [...(await damagedCopies(directory)).values()];
  expect(gunzipSync(Buffer.from(kept, "latin1")).toString()).toContain("three");
  await store.close();
});

test("reclaim of the whole store reports the refused seal and goes on with the others", async () => {
  await putOlderBack();
  const { store, errors } = await openCollecting(directory);
  await append(store, "new");
  await store.session("other").append(user("hello"));
  await store.reclaim({ seal: true });
  expect(errors).toMatchObject([{ code: "SESSION_DAMAGED" }]);
  expect(await readSegment("0.jsonl.gz")).toContain("three");
  expect(await readdir(join(directory, "segments"))).toHaveLength(2);
  await store.close();
});

/** A sealed file as it is, and beside it a compressed one by the same number with other records. */
async function putOtherBeside(): Promise<CollectingStore> {
  await putOlderBack();
  const other = await readFile(join(segments, "0.jsonl.gz"));
  const { store } = await openCollecting(directory);
  await store.repair();
  await append(store, "new");
  // Without compressing it, which only a file with one name is.
  await store.session("k").fork("child");
  await store.reclaim({ seal: true, keys: ["k"] });
  await store.close();
  await writeFile(join(segments, "0.jsonl.gz"), other);
  return await openCollecting(directory);
}

test("verify names a compressed file that holds something else than the sealed one beside it", async () => {
  const { store } = await putOtherBeside();
  expect((await readdir(segments)).sort()).toEqual(["0.jsonl", "0.jsonl.gz"]);
  expect((await store.verify()).damage).toMatchObject([{ file: join(segments, "0.jsonl.gz"), key: "k" }]);
  const { kept = [] } = await store.repair();
  expect(kept).toHaveLength(1);
  expect(await readdir(segments)).toEqual(["0.jsonl"]);
  expect((await store.verify()).damage).toEqual([]);
  expect(await contentsOf(store.session("k"))).toEqual(["one", "new"]);
  await store.close();
});

test("compressing does not write over a compressed file that holds something else", async () => {
  const { store } = await putOtherBeside();
  await store.session("child").delete({ forever: true });
  await expect(store.reclaim({ seal: true, keys: ["k"] })).rejects.toMatchObject({
    code: "SESSION_DAMAGED",
    detail: { file: join(segments, "0.jsonl.gz") },
  });
  expect(await readSegment("0.jsonl.gz")).toContain("three");
  expect(await contentsOf(store.session("k"))).toEqual(["one", "new"]);
  await store.repair();
  await store.reclaim({ seal: true, keys: ["k"] });
  expect(await readSegment("0.jsonl.gz")).toContain("new");
  expect((await store.verify()).damage).toEqual([]);
  await store.close();
});
