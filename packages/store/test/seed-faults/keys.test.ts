/** Seed faults 3, 21 and 29, and the keys of 16: a key is data, and no two of them meet in one file. */

import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = `${parent}/deep/er/sessions`;
});

afterEach(async () => {
  await removeDirectory(parent);
});

/** Each key gets a message of its own; afterwards each reads its own and nothing else, and has its own file. */
async function expectSeparate(keys: readonly string[]): Promise<void> {
  const store = await openStore(directory);
  await Promise.all(keys.map(async (key) => await store.session(key).append(user(`for ${key}`))));
  await store.close();
  const again = await openStore(directory);
  for (const key of keys) expect(await contentsOf(again.session(key))).toEqual([`for ${key}`]);
  const listed: string[] = [];
  for await (const info of again.list()) listed.push(info.key);
  expect(listed.sort()).toEqual([...keys].sort());
  await again.close();
  const names = (await readdir(directory)).filter((name) => name.endsWith(".jsonl"));
  // As a file system would compare them that knows neither case nor composition.
  expect(new Set(names.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(keys.length);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
}

test("seed fault 3: telegram:123 and telegram_123 share a file", async () => {
  await expectSeparate(["telegram:123", "telegram_123", "telegram/123", "telegram\\123"]);
});

test("seed fault 21: the session id ../../x escapes the directory", async () => {
  const keys = ["../../x", "..", ".", "/etc/x", "../../x.jsonl", "..\\..\\x", "~/x", ".longhand/journal/x"];
  await expectSeparate(keys);
  const outside = (await namesIn(parent)).filter(
    (name) => name.endsWith(".jsonl") && dirname(name) !== "deep/er/sessions",
  );
  expect(outside).toEqual([]);
  expect(await readdir(`${parent}/deep`)).toEqual(["er"]);
});

describe("seed fault 29: keys that become alike", () => {
  test("every emoji becomes _", async () => {
    await expectSeparate(["telegram_123_🙂", "telegram_123_🚀", "telegram_123__", "telegram_123_"]);
  });

  test("joining with _ is ambiguous: reply a_b of sender c is reply a of sender b_c", async () => {
    await expectSeparate(["matrix:a_b:c", "matrix:a:b_c", "matrix_a_b_c", "matrix.a_b.c", "matrix@a b@c"]);
  });

  test("unicode letters make names of more than 255 bytes", async () => {
    await expectSeparate(["ж".repeat(300), `${"ж".repeat(300)}!`, "名".repeat(341), "🙂".repeat(256)]);
  });

  test("case and composition, on file systems that know neither", async () => {
    await expectSeparate([
      "Anna",
      "anna",
      "ANNA",
      "caf\u00e9",
      "cafe\u0301",
      "CAF\u00c9",
      "ſ",
      "s",
      "con",
      "CON",
    ]);
  });
});

describe("seed fault 16: names that fail late or hide", () => {
  test("a key of 260 bytes", async () => {
    await expectSeparate(["k".repeat(260), `${"k".repeat(259)}l`]);
  });

  test("a key of more bytes than allowed is refused at once, with a typed error", async () => {
    const store = await openStore(directory);
    expect(() => store.session("k".repeat(1025))).toThrow(expect.objectContaining({ code: "KEY_INVALID" }));
    await store.close();
  });

  test("the empty key is refused, and no hidden file is made of it", async () => {
    const store = await openStore(directory);
    expect(() => store.session("")).toThrow(expect.objectContaining({ code: "KEY_INVALID" }));
    await store.close();
    expect((await namesIn(directory)).filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });
});
