/** Verify and repair beside the journal of a dead writer, where a whole file or a header is not what it was. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withChecksum } from "../../src/format/line-checksum.ts";
import type { Store } from "../../src/index.ts";
import { user } from "../support/conversation.ts";
import { copyOfDeadStore, linesOf } from "../support/dead-store.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "dead");
});

afterEach(async () => {
  await removeDirectory(root);
});

test("records that go between others stay kept while their session is left, and the report says why", async () => {
  const write = async (store: Store): Promise<void> => {
    await store.session("b").append(user("1"));
    for (const text of ["1", "2", "3", "4"]) await store.session("a").append(user(text));
  };
  await copyOfDeadStore(join(root, "open"), directory, write, { segmentBytes: 300 });
  const [id = ""] = await readdir(join(directory, "segments"));
  const [name = ""] = await readdir(join(directory, "segments", id));
  const [sealed, active] = [join(directory, "segments", id, name), join(directory, "b.jsonl")];
  const [ofSealed, ofActive] = [await readFile(sealed), await readFile(active)];
  await writeFile(sealed, ofActive);
  await writeFile(active, ofSealed);

  const { store } = await openCollecting(directory);
  const isKept = ({ file }: { readonly file: string }): boolean => file.includes(`/damaged/${id}.`);
  const repaired = (await store.repair()).damage.find(isKept);
  expect(repaired?.left).toContain("has the same session id");
  expect((await store.verify()).damage.find(isKept)?.left).toBe(repaired?.left);
  await store.close();
});

test("a number of a file in a forged header is not counted up to", async () => {
  await copyOfDeadStore(join(root, "open"), directory, async (store) => {
    await store.session("a").append(user("1"));
  });
  const path = join(directory, "a.jsonl");
  const [header = "", ...lines] = linesOf(await readFile(path, "utf8"));
  const fields = JSON.parse(header) as Record<string, unknown>;
  delete fields["crc"];
  const forged = withChecksum(JSON.stringify({ ...fields, file: 2 ** 32, chain: [] }).slice(0, -1), "");
  await writeFile(path, `${forged.toString().trimEnd()}\n${lines.map((line) => `${line}\n`).join("")}`);
  const { store } = await openCollecting(directory, { readOnly: true });
  expect(await store.verify()).toMatchObject({ sessions: 1, records: 1 });
  await store.close();
});
