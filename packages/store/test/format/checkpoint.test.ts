/** A checkpoint says exactly what the records before it have led to, or it is no checkpoint. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeCheckpoint, isCheckpointDue } from "../../src/format/checkpoint.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { EMPTY_STATE, foldEntry } from "../../src/format/fold.ts";
import { anyEntry } from "../support/arbitrary-entries.ts";
import { SAMPLE, SESSION_ID } from "../support/sample-log.ts";

describe("a checkpoint", () => {
  test("comes back as the state it was made of", () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 20 }), (entries) => {
        const state = entries.reduce(foldEntry, EMPTY_STATE);
        const line = encodeCheckpoint({ state, sum: "0b7d1e44" }, SESSION_ID);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        const decoded = decodeLine(line.subarray(0, -1), SESSION_ID);
        expect(decoded).toEqual({ kind: "checkpoint", checkpoint: { state, sum: "0b7d1e44" } });
      }),
    );
  });

  test("with one flipped bit, or of another session, is none", () => {
    const state = SAMPLE.reduce(foldEntry, EMPTY_STATE);
    const line = encodeCheckpoint({ state, sum: "0b7d1e44" }, SESSION_ID).subarray(0, -1);
    expect(decodeLine(line, "01JCW0000000000000000000AC").kind).toBe("bad");
    for (let bit = 0; bit < line.length * 8; bit++) {
      const flipped = Buffer.from(line);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeLine(flipped, SESSION_ID).kind).toBe("bad");
    }
  });
});

test("the next one is due after 256 KiB, or after eight times the size of the one before", () => {
  expect(isCheckpointDue(256 * 1024 - 1, 0)).toBe(false);
  expect(isCheckpointDue(256 * 1024, 0)).toBe(true);
  expect(isCheckpointDue(256 * 1024, 32 * 1024)).toBe(true);
  expect(isCheckpointDue(256 * 1024, 32 * 1024 + 1)).toBe(false);
  expect(isCheckpointDue(8 * (32 * 1024 + 1), 32 * 1024 + 1)).toBe(true);
});

test("a checkpoint whose sum is no sum is passed over, whatever its own checksum says", () => {
  const line = encodeCheckpoint({ state: EMPTY_STATE, sum: "__proto__" }, "session");
  expect(decodeLine(line.subarray(0, -1), "session")).toEqual({ kind: "aside" });
});
