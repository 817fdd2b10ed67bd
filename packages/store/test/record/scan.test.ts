/** What a file is worth after it was cut, flipped, doubled or glued: a prefix, or the good lines with the bad ones named. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/record/entry.ts";
import { entriesOf, linesOf, message, SAMPLE, SESSION_ID } from "../support/sample-log.ts";
import { scanBytes, type ScannedBytes } from "../support/scan-bytes.ts";

const scan = (...parts: readonly Buffer[]): ScannedBytes => scanBytes(Buffer.concat(parts), SESSION_ID);
const seqs = ({ entries }: ScannedBytes): number[] => entries.map(({ seq }) => seq);

/** A bad line of the same length, newline and all. */
function spoiled(line: Buffer): Buffer {
  const copy = Buffer.from(line);
  copy[20] = (copy[20] ?? 0) ^ 1;
  return copy;
}

const lines = linesOf(SAMPLE);
const whole = Buffer.concat(lines);
const offsetOf = (index: number): number => Buffer.concat(lines.slice(0, index)).length;
const line = (index: number): Buffer => lines[index] ?? Buffer.alloc(0);

/** How many entries of the sample come before a batch that would be cut in two at `count`. */
function wholeBatches(count: number): number {
  const next = SAMPLE[count];
  return next?.batch === undefined ? count : count - (next.batch.index - 1);
}

describe("a good file", () => {
  test("is served line by line, and ends where it ends", () => {
    const result = scan(whole);
    expect(result.entries).toEqual(SAMPLE);
    expect(result).toMatchObject({ damage: [], torn: undefined, unterminated: false });
    expect([result.end, result.seq]).toEqual([whole.length, SAMPLE.length]);
    expect(result.offsets).toEqual(SAMPLE.map((_, index) => offsetOf(index)));
  });

  test("that is empty has nothing and no damage", () => {
    expect(scan()).toMatchObject({ entries: [], damage: [], torn: undefined, end: 0, seq: 0 });
  });
});

describe("a file cut at any byte", () => {
  test("gives a prefix with whole batches; the rest is torn, never corrupt", () => {
    for (let length = 0; length < whole.length; length++) {
      const result = scan(whole.subarray(0, length));
      const complete = lines.filter((one, index) => offsetOf(index) + one.length - 1 <= length).length;
      const expected = wholeBatches(complete);
      expect(result.entries).toEqual(SAMPLE.slice(0, expected));
      expect(result.damage).toEqual([]);
      expect(result.seq).toBe(expected);
      const isBetweenLines = length === result.end;
      expect(result.torn === undefined).toBe(isBetweenLines);
      if (result.torn !== undefined) {
        expect(result.torn).toMatchObject({ kind: "torn", offset: result.end });
        expect(result.torn.offset + result.torn.bytes).toBe(length);
      }
    }
  });

  test("just before a newline keeps the line and says that its newline is missing", () => {
    const result = scan(line(0).subarray(0, -1));
    expect(result).toMatchObject({ unterminated: true, torn: undefined, seq: 1, end: line(0).length - 1 });
  });
});

describe("a file with one flipped bit", () => {
  test("never gives anything but entries that were written, and tells where the rest was", () => {
    const written = new Map(SAMPLE.map((entry) => [entry.seq, entry]));
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = scan(flipped);
      // Much faster than an expectation for each entry of each flip.
      const isWritten = (entry: Entry): boolean =>
        JSON.stringify(entry) === JSON.stringify(written.get(entry.seq));
      if (!result.entries.every(isWritten)) expect.fail(`bit ${bit} gives an entry that was never written`);
      const missing = SAMPLE.length - result.entries.length;
      if (missing > 0 && result.damage.length === 0 && result.torn === undefined) {
        expect.fail(`bit ${bit} loses ${missing} entries in silence`);
      }
      // The newline of a line may be hit: then it and the next are glued into one bad line.
      const isNewline = whole[bit >> 3] === 0x0a;
      if (missing > (isNewline ? 2 : 1)) expect.fail(`bit ${bit} costs ${missing} entries`);
    }
  });
});

describe("damage in the middle", () => {
  test("a bad line is corrupt, named by offset and length, and the good lines around it are served", () => {
    const result = scan(...lines.slice(0, 4), spoiled(line(4)), ...lines.slice(5));
    expect(seqs(result)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    expect(result.damage).toEqual([
      { offset: offsetOf(4), bytes: line(4).length, kind: "corrupt", reason: "checksum mismatch", seq: 5 },
    ]);
    expect(result).toMatchObject({ torn: undefined, seq: 11, end: whole.length });
  });

  test("several bad lines are named one by one", () => {
    const bad = [Buffer.from("\n"), Buffer.from("\0\0\0\0\n"), Buffer.from("what is this\n")];
    const result = scan(line(0), ...bad, ...lines.slice(1));
    expect(result.entries).toEqual(SAMPLE);
    expect(result.damage.map(({ reason }) => reason)).toEqual([
      "an empty line",
      "filled with NUL bytes",
      "not a whole record",
    ]);
    expect(result.damage.every(({ kind }) => kind === "corrupt")).toBe(true);
    // No record is missing: these lines were none.
    expect(result.damage.some((damage) => "seq" in damage)).toBe(false);
  });

  test("two glued lines are one bad line", () => {
    const result = scan(...lines.slice(0, 5), line(5).subarray(0, -1), ...lines.slice(6));
    expect(seqs(result)).toEqual([1, 2, 3, 4, 5, 8, 9, 10, 11]);
    expect(result.damage).toHaveLength(1);
    // It looks like one record where two are missing: which it was is not said.
    expect(result.damage[0]).not.toHaveProperty("seq");
    const hit = Buffer.concat([line(5).subarray(0, -1), Buffer.from("x")]);
    expect(scan(...lines.slice(0, 5), hit, ...lines.slice(6)).damage).toMatchObject([{ seq: 6 }]);
  });

  test("a line longer than any of ours is damage, though nobody kept it", () => {
    const [first, second] = linesOf(entriesOf(message("a"), message("b")));
    if (first === undefined || second === undefined) throw new Error("two lines expected");
    expect(scan(first, Buffer.from("x\n"), second).damage).toHaveLength(1);
  });

  test("a missing line is a gap", () => {
    const one = scan(...lines.slice(0, 4), ...lines.slice(5));
    expect(one.damage).toEqual([
      { offset: offsetOf(4), bytes: 0, kind: "corrupt", reason: "seq 5 is missing" },
    ]);
    expect(seqs(one)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    const three = scan(...lines.slice(0, 4), ...lines.slice(7));
    expect(three.damage).toMatchObject([{ kind: "corrupt", reason: "seq 5 to 7 are missing" }]);
  });

  test("a missing beginning is a gap too", () => {
    const result = scan(...lines.slice(4));
    expect(result.damage).toMatchObject([{ offset: 0, reason: "seq 1 to 4 are missing" }]);
    expect(seqs(result)).toEqual([5, 6, 7, 8, 9, 10, 11]);
  });

  test("a line that comes twice counts once and is reported", () => {
    const result = scan(...lines.slice(0, 5), line(4), ...lines.slice(5));
    expect(result.entries).toEqual(SAMPLE);
    expect(result.damage).toEqual([
      { offset: offsetOf(5), bytes: line(4).length, kind: "corrupt", reason: "seq 5 again, after seq 5" },
    ]);
  });

  test("an old line that comes again later is reported, not served", () => {
    const result = scan(whole, line(0));
    expect(result.entries).toEqual(SAMPLE);
    expect(result.damage).toMatchObject([{ offset: whole.length, reason: "seq 1 again, after seq 11" }]);
    expect(result.end).toBe(whole.length + line(0).length);
  });

  test("a line of another session is damage", () => {
    const foreign = scanBytes(whole, "01JCW0000000000000000000XY");
    expect(foreign.entries).toEqual([]);
    expect(foreign.damage).toHaveLength(SAMPLE.length);
  });
});

describe("a batch", () => {
  const batch = entriesOf(message("before"), [message("a"), message("b"), message("c")]);
  const [before, a, b, c] = linesOf(batch) as [Buffer, Buffer, Buffer, Buffer];
  const after = linesOf(entriesOf(...batch.map(({ body }) => body), message("after")))[4] ?? Buffer.alloc(0);

  test("that is unfinished is torn as a whole", () => {
    for (const rest of [[a], [a, b], [a, b, c.subarray(0, 30)], [a, b.subarray(0, -1)]]) {
      const result = scan(before, ...rest);
      expect(seqs(result)).toEqual([1]);
      expect(result.damage).toEqual([]);
      expect(result.torn).toEqual({
        offset: before.length,
        bytes: Buffer.concat(rest).length,
        kind: "torn",
        reason: "an unfinished batch",
      });
      expect([result.end, result.seq]).toEqual([before.length, 1]);
    }
  });

  test("with a damaged line inside is served but for that line", () => {
    const first = scan(before, spoiled(a), b, c, after);
    expect([seqs(first), first.damage.length]).toEqual([[1, 3, 4, 5], 1]);
    const second = scan(before, a, spoiled(b), c, after);
    expect([seqs(second), second.damage.length]).toEqual([[1, 2, 4, 5], 1]);
    const third = scan(before, a, b, spoiled(c), after);
    expect([seqs(third), third.damage.length]).toEqual([[1, 2, 3, 5], 1]);
    for (const { torn, seq } of [first, second, third]) expect([torn, seq]).toEqual([undefined, 5]);
  });

  test("at the end of a file, whole once and damaged since, is corrupt and not torn", () => {
    const last = scan(before, a, b, spoiled(c));
    expect(seqs(last)).toEqual([1, 2, 3]);
    expect(last.damage).toMatchObject([{ kind: "corrupt", reason: "checksum mismatch" }]);
    expect([last.torn, last.seq, last.end]).toEqual([
      undefined,
      4,
      before.length + a.length + b.length + c.length,
    ]);
    const two = scan(before, a, spoiled(b), spoiled(c));
    expect([seqs(two), two.damage.length, two.torn, two.seq]).toEqual([[1, 2], 2, undefined, 4]);
  });

  test("that another record cuts short is served, and the gap reported", () => {
    const result = scan(before, a, b, after);
    expect(seqs(result)).toEqual([1, 2, 3, 5]);
    expect(result.damage).toMatchObject([{ kind: "corrupt", reason: "seq 4 is missing" }]);
  });
});

describe("damage at the end", () => {
  test("a line without its newline is torn", () => {
    const tail = Buffer.from('{"seq":12,"at":"2026');
    const result = scan(whole, tail);
    expect(result.entries).toEqual(SAMPLE);
    expect(result.torn).toEqual({
      offset: whole.length,
      bytes: tail.length,
      kind: "torn",
      reason: "not a whole record",
    });
    expect([result.end, result.seq]).toEqual([whole.length, 11]);
  });

  test("NUL bytes that a power cut left are torn", () => {
    const result = scan(whole, Buffer.alloc(4096));
    expect(result.torn).toMatchObject({ offset: whole.length, bytes: 4096, reason: "filled with NUL bytes" });
  });

  test("a whole bad line was a record: it is corrupt, and its seq is not given away again", () => {
    const single = linesOf(entriesOf(message("a"), message("b"))) as [Buffer, Buffer];
    const result = scan(single[0], spoiled(single[1]));
    expect(seqs(result)).toEqual([1]);
    expect(result.damage).toHaveLength(1);
    expect([result.seq, result.end, result.torn]).toEqual([
      2,
      single[0].length + single[1].length,
      undefined,
    ]);
  });

  test("a bad line and a torn one behind it are told apart", () => {
    const single = linesOf(entriesOf(message("a"), message("b"))) as [Buffer, Buffer];
    const result = scan(single[0], spoiled(single[1]), Buffer.from('{"seq"'));
    expect(result.damage).toMatchObject([{ kind: "corrupt" }]);
    expect(result.torn).toMatchObject({ kind: "torn", bytes: 6 });
    expect(result.end).toBe(single[0].length + single[1].length);
  });
});

describe("two records glued because the newline between them was hit", () => {
  const glue = (first: Buffer, second: Buffer): Buffer =>
    Buffer.concat([first.subarray(0, -1), Buffer.from(" "), second]);

  test("at the end count as two: neither seq is given away again", () => {
    const [one, two, three] = linesOf(entriesOf(message("1"), message("2"), message("3"))) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const result = scan(one, glue(two, three));
    expect(seqs(result)).toEqual([1]);
    expect(result).toMatchObject({ seq: 3, torn: undefined, damage: [{ kind: "corrupt" }] });
  });

  test("in the last batch leave its good line in place", () => {
    const [a, b, c] = linesOf(entriesOf([message("a"), message("b"), message("c")])) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const result = scan(a, glue(b, c));
    expect(seqs(result)).toEqual([1]);
    expect(result).toMatchObject({ seq: 3, torn: undefined, damage: [{ kind: "corrupt" }] });
  });
});

test("a corrupt line before a repeated one: the next record goes behind both", () => {
  const [one, two, three] = linesOf(entriesOf(message("1"), message("2"), message("3"))) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const result = scan(one, two, spoiled(three), two);
  expect(result.end).toBe(one.length + 2 * two.length + three.length);
});
