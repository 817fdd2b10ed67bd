/** The short way to a message and the long one say the same, of lines as they are written and of lines that are nearly so. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeLine, decodeOrdinaryLine } from "../../src/format/decode.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import type { Entry } from "../../src/format/entry.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import { LineInChunk } from "../../src/format/scan-visitor.ts";
import { anyEntry, anyText } from "../support/arbitrary-entries.ts";
import { plainEntry } from "../support/plain-entry.ts";
import { SESSION_ID } from "../support/sample-log.ts";

/** `line` ends with its newline. It lies between others, as it does in a file. */
function shortWay(line: Buffer, before = "", after = ""): Entry | undefined {
  const chunk = Buffer.concat([Buffer.from(before), line, Buffer.from(after)]);
  const start = Buffer.byteLength(before);
  const isAscii = chunk.every((byte) => byte < 0x80);
  return decodeOrdinaryLine(
    new LineInChunk(start, chunk, start, start + line.length - 1, isAscii),
    SESSION_ID,
  );
}

function expectSame(line: Buffer, before?: string, after?: string): void {
  const short = shortWay(line, before, after);
  if (short === undefined) return;
  const long = decodeLine(line.subarray(0, -1), SESSION_ID);
  expect(long).toEqual({ kind: "entry", entry: plainEntry(short) });
}

test("a message without anything unusual goes the short way", () => {
  const entry = {
    seq: 12,
    at: "2026-11-18T00:00:00.000Z",
    body: { op: "message", json: '{"a":"🙂"}' },
  } as const;
  for (const more of [
    {},
    { id: "an-id" },
    { batch: { index: 1, size: 3 } },
    { id: "ü", batch: { index: 1, size: 3 } },
  ])
    expect(plainEntry(shortWay(encodeEntry({ ...entry, ...more }, SESSION_ID)) ?? entry)).toEqual({
      ...entry,
      ...more,
    });
});

test("every record that is written", () => {
  fc.assert(
    fc.property(anyEntry, anyText, anyText, (entry, before, after) =>
      expectSame(encodeEntry(entry, SESSION_ID), before, after),
    ),
    { numRuns: 2000 },
  );
});

const digits = fc.constantFrom(
  "0",
  "1",
  "01",
  "7",
  "123456789012345",
  "1234567890123456",
  "9007199254740993",
  "",
  "-1",
  "1.5",
  "1e3",
);
const time = fc.constantFrom(
  ...[
    "2026-11-18T00:00:00.000Z",
    "2026-11-18T00:00:00Z",
    "",
    "x",
    "+026-11-18T00:00:00.000Z",
    '2026-11-18T00:00:00.00"Z',
  ],
  ...[
    "2026-11-18T00:00:00.0000Z",
    "2026-11-18T00:00:00.00\\Z",
    "2026-11-18t00:00:00.000z",
    "ü026-11-18T00:00:00.000Z",
  ],
);
const id = fc.oneof(
  anyText.map((text) => JSON.stringify(text)),
  fc.constantFrom('"a', '"a\tb"', '""', '"a\\"', "5", '"\\u0041"'),
);
const field = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant("") },
    { weight: 2, arbitrary: value.map((text) => `,"${name}":${text}`) },
  );
/** Lines with a good checksum whose fields are nearly as they should be. */
const nearly = fc
  .tuple(
    fc.constantFrom('{"seq":', '{"seq": ', '{ "seq":', '{"lost":'),
    digits,
    time.map((at) => `,"at":"${at}"`),
    field(
      "batch",
      fc.tuple(digits, digits).map(([index, size]) => `[${index},${size}]`),
    ),
    field("id", id),
    fc.constantFrom(',"message":', ',"op":', ',"messages":', "", ',"message"'),
    fc.constantFrom('{"role":"user","content":"hi"}', '"note"', "", "5,6", '{"a":"🙂"}'),
  )
  .map((parts) => withChecksum(parts.join(""), SESSION_ID));

test("lines that are nearly as they are written", () => {
  fc.assert(
    fc.property(nearly, (line) => expectSame(line)),
    { numRuns: 5000 },
  );
});

test("any byte changed, with the checksum made to fit and without", () => {
  fc.assert(
    fc.property(anyEntry, fc.nat(), fc.integer({ min: 0, max: 255 }), (entry, place, byte) => {
      const line = encodeEntry(entry, SESSION_ID);
      const changed = Buffer.from(line);
      changed[place % (line.length - 1)] = byte;
      expectSame(changed);
      const open = changed.subarray(0, -19).toString("latin1");
      expectSame(withChecksum(open, SESSION_ID));
    }),
    { numRuns: 2000 },
  );
});
