/** The same damage has the same words, whoever meets it: a reader, verify, or a repair. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Damage } from "../../src/index.ts";
import { user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => void (directory = await makeTemporaryDirectory()));
afterEach(async () => removeDirectory(directory));

const wordsOf = (damage: readonly Damage[]): string[] =>
  damage.map(({ file, offset, bytes, reason }) => `${file} ${offset}+${bytes}: ${reason}`);

test("a damaged member of a compressed segment", async () => {
  const writer = await openStore(directory);
  for (const content of ["1", "2", "3"]) await writer.session("a").append(user(content));
  await writer.reclaim({ seal: true });
  await writer.session("a").append(user("4"));
  await writer.close();
  const [id = ""] = await readdir(join(directory, "segments"));
  const path = join(directory, "segments", id, "0.jsonl.gz");
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, 60, 64));
  for (const reverse of [false, true]) {
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    const seqs: number[] = [];
    for await (const { seq } of store.session("a").records({ reverse })) seqs.push(seq);
    expect(seqs).toEqual([4]);
    expect(wordsOf(damage)).toEqual([expect.stringMatching(/: a damaged gzip member \(byte 0 of/)]);
    expect(wordsOf((await store.verify()).damage)).toEqual(wordsOf(damage));
    await store.close();
  }
  const { store } = await openCollecting(directory);
  const before = wordsOf((await store.verify()).damage);
  expect(wordsOf((await store.repair()).damage)).toEqual(before);
  await store.close();
});
