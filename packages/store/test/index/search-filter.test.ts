/** What the filter says is not there is not found by the search itself, whatever is written and however it is escaped. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchMessage, parseQuery } from "../../src/index/search.ts";
import { SearchFilter } from "../../src/index/search-filter.ts";
import type { Message } from "../../src/format/message.ts";
import { anyText } from "../support/arbitrary-entries.ts";

/** Characters that are escaped, that change their case, and that become ASCII by normalising. */
const special = fc.constantFrom(
  ...[
    '"',
    "\\",
    "/",
    "\n",
    "\t",
    "\b",
    "\u0001",
    "\u007f",
    "K",
    "ſ",
    "ﬁ",
    "Ａ",
    "²",
    "…",
    "İ",
    "ı",
    "é",
    "e\u0301",
    "™",
    "½",
  ],
  ...["\u00a0", "\u2028", "\ud800", "🙂", "ß", "Σ", "#", "~", "a/b", "\\u0041", "AbC", "zanzibar", " "],
);
const text = fc.oneof(
  fc.array(fc.oneof(special, fc.string({ maxLength: 4 })), { maxLength: 8 }).map((parts) => parts.join("")),
  anyText,
);
const content = fc.oneof(text, fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 3 }));
const message = fc
  .tuple(content, fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), text, { maxKeys: 2 }))
  .map(([said, more]): Message => ({ ...more, role: "user", content: said }));

/** As other programs write JSON: slashes escaped, and any character by its number. */
const WRITERS: readonly ((value: unknown) => string)[] = [
  JSON.stringify,
  (value) => JSON.stringify(value).replaceAll("/", "\\/"),
  (value) =>
    JSON.stringify(value).replace(/[k-mz]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
];

const query = fc.oneof(
  { weight: 1, arbitrary: fc.record({ whole: text, from: fc.nat(), length: fc.nat(6) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      whole: fc.constant(undefined),
      from: fc.nat(),
      length: fc.integer({ min: 1, max: 6 }),
    }),
  },
);

describe("a message that matches", () => {
  test("is let through", () => {
    let matched = 0;
    let left = 0;
    fc.assert(
      fc.property(
        message,
        query,
        fc.constantFrom(...WRITERS),
        fc.boolean(),
        (said, { whole, from, length }, write, isUpper) => {
          const source =
            whole ?? (typeof said.content === "string" ? said.content : JSON.stringify(said.content));
          const start = source.length === 0 ? 0 : from % source.length;
          const piece = source.slice(start, start + length);
          const words = parseQuery(isUpper ? piece.toUpperCase() : piece);
          const json = write(said);
          const parsed = JSON.parse(json) as Message;
          const filter = new SearchFilter(words);
          const isMatch = matchMessage(words, parsed) !== undefined;
          if (isMatch) {
            matched++;
            expect(filter.mayMatch(json)).toBe(true);
            expect(filter.mayBeIn(Buffer.from(`{"seq":1}\n{"message":${json}\n`))).toBe(true);
          } else if (!filter.mayMatch(json)) left++;
        },
      ),
      { numRuns: 6000 },
    );
    expect(matched).toBeGreaterThan(200);
    expect(left).toBeGreaterThan(20);
  });

  test("the filter leaves out what it can tell", () => {
    const filter = new SearchFilter(parseQuery("Zanzibar a/b"));
    expect(filter.mayMatch('{"role":"user","content":"to ZANZIBAR by a\\/b"}')).toBe(true);
    expect(filter.mayMatch('{"role":"user","content":"to nowhere by a/b"}')).toBe(false);
    expect(filter.mayMatch('{"role":"user","content":"ｚanzibar"}')).toBe(true);
    expect(new SearchFilter(parseQuery("é")).mayMatch('{"role":"user","content":"e"}')).toBe(false);
  });
});
