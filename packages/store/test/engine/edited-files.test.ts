/** Session files that went through an editor or a transfer which has changed no word: docs/format.md says they are read. */

import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, assert, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  path = sessionFile(directory, "a");
  const store = await openStore(directory);
  for (const content of ["one", "two"]) await store.session("a").append(user(content));
  await store.close();
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(directory);
});

const EDITS: readonly [string, (text: string) => string][] = [
  ["with a byte order mark", (text) => `\ufeff${text}`],
  ["with \\r\\n at the ends of lines", (text) => text.replaceAll("\n", "\r\n")],
  ["with both", (text) => `\ufeff${text.replaceAll("\n", "\r\n")}`],
  ["without the last newline", (text) => text.slice(0, -1)],
  ["with nothing but its header, without a newline", (text) => text.slice(0, text.indexOf("\n"))],
];

describe.each(EDITS)("a session file saved %s", (_, edit) => {
  let kept: string[];

  beforeEach(async () => {
    const text = await readFile(path, "utf8");
    await writeFile(path, edit(text));
    kept = edit(text).includes('"two"') ? ["one", "two"] : [];
  });

  test.each([true, false])("is read (readOnly: %s)", async (readOnly) => {
    const { store, damage } = await openCollecting(directory, { readOnly });
    expect(await contentsOf(store.session("a"))).toEqual(kept);
    expect(await recordsOf(store.session("a"))).toHaveLength(kept.length);
    const listed: unknown[] = [];
    for await (const { key, count } of store.list()) listed.push([key, count]);
    expect(listed).toEqual([["a", kept.length]]);
    expect(damage).toEqual([]);
    await store.close();
  });

  test("can be written to, and read by others after that", async () => {
    const { store, damage } = await openCollecting(directory);
    expect(await store.session("a").append(user("three"))).toEqual({ seq: kept.length + 1 });
    await store.close();
    const again = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(again.store.session("a"))).toEqual([...kept, "three"]);
    await again.store.close();
    expect([damage, again.damage]).toEqual([[], []]);
  });

  test.each([true, false])("gets what a dead writer had not landed (readOnly: %s)", async (readOnly) => {
    // A missing newline is put in when a writer opens the file, which is before nothing can be landed any more.
    const mending = await openStore(directory);
    const refused = mending.session("a").append(user("x"), { expectedSeq: 999 });
    await expect(refused).rejects.toMatchObject({ code: "SEQ_CONFLICT" });
    await mending.close();
    const writer = new ChildProcess("hold-store", directory, "no-landing");
    await writer.printed(1);
    expect(await writer.ask("append a three")).toBe(`{"seq":${kept.length + 1}}`);
    await writer.kill();
    const { store, damage } = await openCollecting(directory, { readOnly });
    expect(await contentsOf(store.session("a"))).toEqual([...kept, "three"]);
    expect(damage).toEqual([]);
    await store.close();
  });
});

test("a checkpoint of an earlier file, copied to the end, hides nothing that is written then", async () => {
  const small = (): ReturnType<typeof openCollecting> =>
    openCollecting(jsonlBackend(directory, { segmentBytes: 200 }));
  const { store } = await small();
  for (const content of ["three", "four", "five"]) await store.session("a").append(user(content));
  const { id = "", seq = 0 } = (await store.session("a").state()) ?? {};
  await store.close();
  const sealed = await readFile(join(directory, "segments", id, "1.jsonl"), "utf8");
  const checkpoint = sealed.split("\n").find((line) => line.startsWith('{"checkpoint"'));
  assert(checkpoint !== undefined);
  await appendFile(path, `${checkpoint}\n`);
  const again = await small();
  expect(await again.store.session("a").append(user("six"))).toEqual({ seq: seq + 1 });
  expect(await contentsOf(again.store.session("a"))).toEqual(["one", "two", "three", "four", "five", "six"]);
  const backwards: number[] = [];
  for await (const record of again.store.session("a").records({ reverse: true })) backwards.push(record.seq);
  expect(backwards).toEqual([6, 5, 4, 3, 2, 1]);
  await again.store.close();
});
