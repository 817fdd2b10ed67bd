/** A key is any text; two different keys are two sessions, however alike they look. */

import assert from "node:assert/strict";
import { isLonghandError } from "../../errors.ts";
import type { Store } from "../../contract/types.ts";
import { keysOf, say, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

const ALIKE: Readonly<Record<string, readonly string[]>> = {
  "paths are text": ["../../etc/passwd", "/abs", "..", ".", "a/b", "a\\b", "a//b", "~", "C:\\x", "%2e%2e%2f"],
  "spaces and dots count": ["a", " a", "a ", " ", "  ", "a.", ".a", "a..", "a\t"],
  "upper and lower case differ": ["Key", "key", "KEY", "kEy"],
  "look-alikes differ": ["\u00e9", "e\u0301", "a_b", "a:b", "a-b", "ａ_b", "\u212b", "\u00c5"],
  "names that mean something elsewhere": [
    ...["CON", "con", "nul.txt", "aux", "lpt1", "index", "x", "x.lock", "x.tmp", "x.jsonl", "x.json"],
    ...["segments", "archive", "trash", ".longhand", "journal", "__proto__", "constructor", "toString"],
  ],
  "any script and any sign": [
    "🙂",
    "مرحبا",
    "日本語",
    "a\u200bb",
    "ab",
    "a\nb",
    "a\rb",
    "\u2028",
    "\u001b[31m",
    "'\"`",
  ],
};

const eachIsASessionOfItsOwn = Object.entries(ALIKE).map(([title, keys]): ConformanceCase => ({
  title,
  run: async ({ store }) => {
    for (const [index, key] of keys.entries()) {
      assert.deepEqual(await store.session(key).append(say(`of ${index}`)), { seq: 1 }, JSON.stringify(key));
    }
    for (const [index, key] of keys.entries()) {
      assert.deepEqual(await view(store.session(key)), [`of ${index}`], JSON.stringify(key));
      assert.equal((await store.session(key).state())?.key, key);
    }
    assert.deepEqual(await keysOf(store), [...keys].sort());
  },
}));

export const keysCases: readonly ConformanceCase[] = [
  ...eachIsASessionOfItsOwn,
  {
    title: "up to 1,024 bytes, and each byte counts",
    run: async ({ store }) => {
      const keys = [
        "x".repeat(1024),
        `${"x".repeat(1023)}y`,
        "x".repeat(256),
        "é".repeat(128),
        "🙂".repeat(64),
      ];
      for (const key of keys) await store.session(key).append(say(key));
      for (const key of keys) assert.deepEqual(await view(store.session(key)), [key]);
    },
  },
  {
    title: "what cannot be a key is KEY_INVALID, and the store goes on",
    run: async ({ store }) => {
      const wrong = [
        "",
        "a\0b",
        "\ud800",
        "a\udc00",
        "x".repeat(1025),
        "é".repeat(513),
        5,
        null,
        undefined,
        {},
        ["a"],
      ];
      for (const key of wrong) refusesKey(store, key);
      await store.session("good").append(say("hello"));
      assert.deepEqual(await keysOf(store), ["good"]);
    },
  },
  {
    title: "a handle knows its key and does nothing until it is used",
    run: async ({ store }) => {
      assert.equal(store.session("a key").key, "a key");
      assert.deepEqual(await keysOf(store), []);
    },
  },
];

function refusesKey(store: Store, key: unknown): void {
  assert.throws(
    () => store.session(key as string),
    (error: unknown) => isLonghandError(error, "KEY_INVALID"),
  );
}
