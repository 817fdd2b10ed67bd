/** Names of files: readable, portable, and never the same for two keys. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLonghandError } from "../../src/errors.ts";
import { checkKey, fileNameOf, isFileName, MAX_KEY_BYTES } from "../../src/format/key.ts";

const PORTABLE = /^[a-z0-9_][a-z0-9_-]*(~[0-9a-hjkmnp-tv-z]{16})?\.jsonl$/;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

const key = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
    fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 100 }),
    fc.string({
      unit: fc.constantFrom("a", "A", "_", "-", ".", "/", ":", " ", "é", "~"),
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom("con", "CON", "nul.txt", "..", ".", "-rf", "a.jsonl", "x~0000000000000000"),
  )
  .filter((text) => !text.includes("\0") && text.isWellFormed() && Buffer.byteLength(text) <= MAX_KEY_BYTES);

/** Keys that differ little. */
const neighbour = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text.toUpperCase(),
    text.toLowerCase(),
    text.normalize("NFC"),
    text.normalize("NFD"),
    `${text} `,
    `${text}_`,
    text.replaceAll(/[^a-z0-9]/g, "_"),
    fileNameOf(text),
    fileNameOf(text).replace(/\.jsonl$/, ""),
  );

describe("a file name", () => {
  test("is portable, whatever the key", () => {
    fc.assert(
      fc.property(key, (text) => {
        const name = fileNameOf(text);
        expect(isFileName(name)).toBe(true);
        expect(name).toMatch(PORTABLE);
        expect(name).not.toMatch(DEVICE);
        expect(name.length).toBeLessThanOrEqual(110);
      }),
      { numRuns: 2000 },
    );
  });

  test("is the same each time", () => {
    fc.assert(fc.property(key, (text) => fileNameOf(text) === fileNameOf(text)));
  });

  test("differs for different keys, also where upper and lower case are one", () => {
    const pair = key.chain((text) => fc.tuple(fc.constant(text), fc.oneof(key, neighbour(text))));
    fc.assert(
      fc.property(pair, ([one, other]) => {
        fc.pre(one !== other && other !== "");
        expect(fileNameOf(one).toLowerCase()).not.toBe(fileNameOf(other).toLowerCase());
      }),
      { numRuns: 5000 },
    );
  });

  test("of a plain key is the key; of another it begins with something readable", () => {
    expect(fileNameOf("notes")).toBe("notes.jsonl");
    expect(fileNameOf("my_notes-2026")).toBe("my_notes-2026.jsonl");
    expect(fileNameOf("telegram:123456")).toMatch(/^telegram_123456~[0-9a-z]{16}\.jsonl$/);
    expect(fileNameOf("Notes")).toMatch(/^notes~/);
    expect(fileNameOf("con")).toMatch(/^con~/);
    expect(fileNameOf("x".repeat(300))).toMatch(/^x{80}~/);
  });
});

describe("a key", () => {
  test("that is possible is given back as it is", () => {
    fc.assert(fc.property(key, (text) => checkKey(text) === text));
    expect(checkKey("x".repeat(MAX_KEY_BYTES))).toHaveLength(MAX_KEY_BYTES);
  });

  test("that is impossible is KEY_INVALID, and the message says why", () => {
    const reasons: readonly (readonly [unknown, RegExp])[] = [
      ["", /empty/],
      ["a\0", /NUL/],
      ["\ud800", /surrogate/],
      ["x".repeat(MAX_KEY_BYTES + 1), /1024 bytes.*1025/],
      [5, /string, not number/],
      [null, /null/],
      [undefined, /undefined/],
      [{}, /object/],
    ];
    for (const [value, reason] of reasons) {
      try {
        checkKey(value);
        expect.fail(`${String(value)} was taken`);
      } catch (error) {
        expect(isLonghandError(error, "KEY_INVALID")).toBe(true);
        expect((error as Error).message).toMatch(reason);
      }
    }
  });
});

test.each([
  ...[
    "",
    ".jsonl",
    "a",
    "../a.jsonl",
    "a/b.jsonl",
    "/a.jsonl",
    ".a.jsonl",
    "-a.jsonl",
    "A.jsonl",
    "a.jsonl\n",
  ],
  ...["a~short.jsonl", `${"a".repeat(81)}.jsonl`, "a.json", "a\0.jsonl", "a.jsonl/..", 5, undefined],
])("%j is no file name of a session", (name) => {
  expect(isFileName(name)).toBe(false);
});
