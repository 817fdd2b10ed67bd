/** Entries of every kind, for properties of the line format. */

import fc from "fast-check";
import type { Body, Entry, SeqRange } from "../../src/format/entry.ts";
import { MAX_SEQ } from "../../src/format/format.ts";

/** Lone surrogates too: they must survive as escapes. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '"',
    "\\",
    "\n",
    "\r\n",
    "\u2028",
    "\ufeff",
    "\ud800",
    '","crc":"00000000"}',
    '"op":"note"',
  ),
);

const count = fc.integer({ min: 0, max: 1_000_000 });
const range: fc.Arbitrary<SeqRange> = fc.tuple(count, count);
const json = fc.jsonValue({ depthSize: "small" }).map((value) => JSON.stringify(value));

const view = fc.record({ keepFrom: count, kept: fc.array(range, { maxLength: 3 }), summary: anyText });

export const anyBody: fc.Arbitrary<Body> = fc.oneof(
  fc.record({ op: fc.constant("message"), json }),
  fc.record({ op: fc.constant("summary"), summary: anyText }),
  fc.record({ op: fc.constant("truncate"), keepFrom: count, count }),
  fc.record({ op: fc.constant("rewind"), to: count, count }),
  fc.record({ op: fc.constant("rewind"), to: count, count, view }),
  fc.record({ op: fc.constant("compact"), summary: anyText, keepFrom: count, count }),
  fc.record({ op: fc.constant("reset") }),
  fc.record({ op: fc.constant("reset"), summary: anyText }),
  fc.record({ op: fc.constant("meta"), title: anyText }),
  fc.record({ op: fc.constant("meta"), tags: fc.array(anyText, { maxLength: 3 }) }),
  fc.record({ op: fc.constant("note"), kind: anyText, json }),
);

const at = fc
  .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());

export const anyEntry: fc.Arbitrary<Entry> = fc
  .tuple(
    fc.record({ seq: fc.integer({ min: 1, max: MAX_SEQ }), at, body: anyBody }),
    fc.record({ id: fc.oneof(anyText, fc.constant("id")).filter((id) => id !== "") }, { requiredKeys: [] }),
    fc.record(
      {
        batch: fc.record({ index: fc.integer({ min: 1, max: 999 }), size: fc.integer({ min: 2, max: 999 }) }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([entry, id, batch]) => ({ ...entry, ...id, ...batch }));
