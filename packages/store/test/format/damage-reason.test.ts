/** The words of reasons: exact about what is known, and no more. */

import { describe, expect, test } from "vitest";
import { countSeqs, reasonText, type DamageReason } from "../../src/format/damage-reason.ts";

describe("records that are missing", () => {
  const missing = (first: number, last: number, isBehindDamage: boolean): string =>
    reasonText({ code: "missing", first, last, isBehindDamage });

  test("are missing at this place: they may stand elsewhere, out of order", () => {
    expect(missing(3, 3, false)).toBe("seq 3 is missing here");
    expect(missing(3, 4, false)).toBe("seq 3 to 4 are missing here");
  });

  test("are not said to be missing where damaged lines may have been some of them", () => {
    expect(missing(3, 4, true)).toBe("seq 3 to 4 are missing here, or were in the damaged bytes before");
  });
});

test("seqs that do not follow each other are named one by one, none between them", () => {
  expect(countSeqs([])).toBe("no whole record");
  expect(countSeqs([4])).toBe("1 record (seq 4)");
  expect(countSeqs([6, 4, 5, 5])).toBe("3 records (seq 4 to 6)");
  expect(countSeqs([4, 7, 8])).toBe("3 records (seq 4, 7 to 8)");
});

test("no two reasons have the same words", () => {
  const reasons: readonly DamageReason[] = [
    ...(["empty-line", "nul-bytes", "checksum-mismatch", "not-whole", "too-long"] as const).map((code) => ({
      code,
    })),
    ...(["no-newline-at-end", "stray-header", "unfinished-batch", "sum-mismatch"] as const).map((code) => ({
      code,
    })),
    ...(["empty-file", "no-header", "header-checksum", "header-fields"] as const).map((code) => ({ code })),
    ...(["header-version", "second-header", "gzip-name"] as const).map((code) => ({ code })),
    ...(["not-compressed", "gzip-header"] as const).map((code) => ({ code })),
    ...(["gzip-cut", "gzip-damaged", "gzip-ends-early"] as const).map((code) => ({ code, at: 1 })),
    { code: "glued", lines: 2 },
    { code: "out-of-order", seq: 1, after: 2 },
    { code: "lost-out-of-order", first: 1, last: 2, after: 3 },
    { code: "misplaced-checkpoint", seq: 1 },
    { code: "missing", first: 1, last: 2, isBehindDamage: false },
    { code: "broken-batch", first: 1, last: 2 },
    { code: "stray-records", seqs: [1, 2] },
    { code: "lost-from-sealed", seqs: [1, 2] },
    { code: "segment-missing", first: 1, last: 2 },
    { code: "segment-unreadable", why: { code: "not-regular" } },
    { code: "segment-unreadable", why: { code: "not-permitted", errno: "EACCES" } },
    { code: "ends-early", at: 1, of: 2 },
    { code: "gzip-gap", from: 1, to: 2 },
  ];
  const words = reasons.map(reasonText);
  expect(new Set(words).size).toBe(reasons.length);
});
