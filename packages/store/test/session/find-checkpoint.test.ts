/** The last checkpoint is found by its first bytes, without a look at the lines behind it: it is the same that a look at every line finds. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { isWrittenAt } from "../../src/format/checkpoint-position.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import { EMPTY_STATE } from "../../src/format/fold.ts";
import { NEWLINE } from "../../src/format/format.ts";
import { lineSum, NO_SUM } from "../../src/format/line-checksum.ts";
import { patchedSource } from "../../src/session/byte-source.ts";
import { lastCheckpoint } from "../../src/session/find-checkpoint.ts";
import { fileOfBytes } from "../support/file-of-bytes.ts";
import { message, SESSION_ID } from "../support/sample-log.ts";

const AT = "2026-11-15T19:24:12.123Z";

type Piece = { readonly text: number } | "checkpoint" | "misplaced" | "start of one" | "bad" | "glued";

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1, 500, 65_000, 65_400, 131_000).map((text) => ({ text })) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Piece>("checkpoint", "misplaced", "start of one", "bad", "glued"),
  },
);

/** Lines, and what a plain look from line to line finds. */
function write(pieces: readonly Piece[]): Buffer {
  let bytes = Buffer.alloc(0);
  let before = NO_SUM;
  let seq = 0;
  for (const each of pieces) {
    let line: Buffer;
    if (typeof each === "object") {
      seq++;
      line = encodeEntry(
        { seq, at: AT, body: message('{"checkpoint":'.repeat(1 + each.text / 14)) },
        SESSION_ID,
      );
    } else if (each === "start of one") line = Buffer.from('{"checkpoint":{}}\n');
    else {
      const offset = bytes.length + (each === "misplaced" ? 1 : 0);
      line = encodeCheckpoint(
        { state: { ...EMPTY_STATE, seq }, sum: NO_SUM, place: { offset, before } },
        SESSION_ID,
      );
      if (each === "bad") line[30] = (line[30] ?? 0) ^ 1;
      if (each === "glued") line = Buffer.concat([Buffer.from("x"), line]);
    }
    bytes = Buffer.concat([bytes, line]);
    before = lineSum(line);
  }
  return bytes;
}

function lastByLines(bytes: Buffer): number | undefined {
  let last: number | undefined;
  let before: Buffer | undefined;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    const decoded = decodeLine(line, SESSION_ID);
    if (decoded.kind === "checkpoint" && decoded.checkpoint.place !== undefined) {
      const isGood = before === undefined || decodeLine(before, SESSION_ID).kind !== "bad";
      const sum = before === undefined ? NO_SUM : isGood ? lineSum(before) : undefined;
      if (isWrittenAt(decoded.checkpoint.place, start, sum)) last = start;
    }
    before = line;
    start = end + 1;
  }
  return last;
}

test("the last checkpoint in its place, wherever the borders of the reads are", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.nat(80), async (pieces, cut) => {
      const all = write(pieces);
      const bytes = all.subarray(0, Math.max(0, all.length - cut));
      const source = patchedSource(fileOfBytes(bytes), bytes.length, []);
      const range = {
        source,
        writtenBy: SESSION_ID,
        from: 0,
        to: bytes.length,
        seqBefore: 0,
        sumBefore: NO_SUM,
      };
      const last = await lastCheckpoint(range);
      expect(last?.offset).toBe(lastByLines(bytes));
      if (last !== undefined) found++;
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(50);
});
