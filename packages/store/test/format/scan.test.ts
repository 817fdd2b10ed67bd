/** What a file is worth after it was cut, flipped, doubled or glued: a prefix, or the good lines with the bad ones named. */

import { describe, expect, test } from "vitest";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { encodeLost } from "../../src/format/encode.ts";
import type { Entry } from "../../src/format/entry.ts";
import { EMPTY_STATE, foldEntry } from "../../src/format/fold.ts";
import { encodeHeader, firstHeader } from "../../src/format/header.ts";
import { lineSum } from "../../src/format/line-checksum.ts";
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

  test("glued lines are served, each by its own checksum, and reported", () => {
    const glued = { offset: offsetOf(5), kind: "corrupt", reason: "2 lines in one: a newline is missing" };
    for (const between of ["", "x", "\r"]) {
      const first = Buffer.concat([line(5).subarray(0, -1), Buffer.from(between)]);
      const result = scan(...lines.slice(0, 5), first, ...lines.slice(6));
      expect(result.entries).toEqual(SAMPLE);
      expect(result.damage).toEqual([{ ...glued, bytes: first.length + line(6).length }]);
      const damaged = scan(...lines.slice(0, 5), first, spoiled(line(6)), ...lines.slice(7));
      expect(seqs(damaged)).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 11]);
      expect(damaged.damage).toMatchObject([glued, { offset: offsetOf(5) + first.length, seq: 7 }]);
    }
  });

  test("a record inside a damaged message is no record, even with a good checksum", () => {
    const inner = line(0).toString().slice(0, -1);
    const [outer = Buffer.alloc(0)] = linesOf(
      entriesOf({
        op: "message",
        json: `{"role":"user","parts":[{"x":1,"crc":"00000000"},${inner},${inner}]}`,
      }),
    );
    expect(scan(outer).damage).toEqual([]);
    const result = scan(spoiled(outer), ...lines.slice(1));
    expect(seqs(result)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(result.damage).toMatchObject([{ reason: "checksum mismatch", seq: 1 }]);
  });

  test("a line longer than any of ours is damage, though nobody kept it", () => {
    const [first, second] = linesOf(entriesOf(message("a"), message("b")));
    if (first === undefined || second === undefined) throw new Error("two lines expected");
    expect(scan(first, Buffer.from("x\n"), second).damage).toHaveLength(1);
  });

  test("a missing line is a gap", () => {
    const one = scan(...lines.slice(0, 4), ...lines.slice(5));
    expect(one.damage).toEqual([
      { offset: offsetOf(4), bytes: 0, kind: "corrupt", reason: "seq 5 is missing here" },
    ]);
    expect(seqs(one)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    const three = scan(...lines.slice(0, 4), ...lines.slice(7));
    expect(three.damage).toMatchObject([{ kind: "corrupt", reason: "seq 5 to 7 are missing here" }]);
  });

  test("a missing beginning is a gap too", () => {
    const result = scan(...lines.slice(4));
    expect(result.damage).toMatchObject([{ offset: 0, reason: "seq 1 to 4 are missing here" }]);
    expect(seqs(result)).toEqual([5, 6, 7, 8, 9, 10, 11]);
  });

  test("a line that comes twice counts once and is reported", () => {
    const result = scan(...lines.slice(0, 5), line(4), ...lines.slice(5));
    expect(result.entries).toEqual(SAMPLE);
    expect(result.damage).toEqual([
      {
        offset: offsetOf(5),
        bytes: line(4).length,
        kind: "corrupt",
        reason: "seq 5 after seq 5: a copy, or out of order",
      },
    ]);
  });

  test("an old line that comes again later is reported, not served", () => {
    const result = scan(whole, line(0));
    expect(result.entries).toEqual(SAMPLE);
    expect(result.damage).toMatchObject([
      { offset: whole.length, reason: "seq 1 after seq 11: a copy, or out of order" },
    ]);
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

  test("of which a line is missing without a trace is not served, and its records and the gap are reported", () => {
    const incomplete = "a batch of 3 records, seq 2 to 4, of which some are missing";
    for (const [rest, gap] of [
      [[a, b, after], "seq 4 is missing here"],
      [[a, c, after], "seq 3 is missing here"],
      [[b, c, after], "seq 2 is missing here"],
      [[a, after], "seq 3 to 4 are missing here"],
      // One line is damaged, another is gone: the damaged one is not both.
      [[a, spoiled(b), after], "seq 3 to 4 are missing here, or were in the damaged bytes before"],
    ] as const) {
      const result = scan(before, ...rest);
      expect(seqs(result)).toEqual([1, 5]);
      const reasons = result.damage.map(({ reason }) => reason);
      expect(reasons.filter((reason) => reason !== "checksum mismatch")).toEqual([gap, incomplete]);
      expect([result.torn, result.seq]).toEqual([undefined, 5]);
    }
  });

  test("is whole if a repair says which of its lines are lost", () => {
    const lost = encodeLost(3, 3, "2026-11-15T19:24:12.123Z", SESSION_ID);
    expect(scan(before, a, lost, c, after)).toMatchObject({ damage: [], seq: 5 });
    expect(seqs(scan(before, a, lost, c, after))).toEqual([1, 2, 4, 5]);
  });

  test("with a line of another place in it is served whole, and that line reported", () => {
    for (const stray of [before, after, a]) {
      const result = scan(before, a, stray, b, c, after);
      expect(seqs(result)).toEqual([1, 2, 3, 4, 5]);
      expect(result.damage).toMatchObject([
        { offset: before.length + a.length, bytes: stray.length, kind: "corrupt" },
      ]);
    }
  });

  test("that ends with a damaged line, while a higher seq stands elsewhere, is served alike before and after the next append", () => {
    const next = linesOf(entriesOf(...batch.map(({ body }) => body), message("after"), message("next")))[5];
    const parts = [before, a, after, b, spoiled(c)];
    expect(seqs(scan(...parts))).toEqual([1]);
    expect(seqs(scan(...parts, next ?? Buffer.alloc(0)))).toEqual([1, 6]);
  });

  test("that is unfinished, with a line of another place behind it, is what no crash leaves: not torn, and no seq is given again", () => {
    const result = scan(before, a, b, before);
    expect(seqs(result)).toEqual([1]);
    expect([result.torn, result.seq]).toEqual([undefined, 4]);
    expect(result.damage).toHaveLength(2);
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

  test("at the end are both served: neither seq is given away again", () => {
    const [one, two, three] = linesOf(entriesOf(message("1"), message("2"), message("3"))) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    for (const result of [scan(one, glue(two, three)), scan(one, two.subarray(0, -1), three)]) {
      expect(seqs(result)).toEqual([1, 2, 3]);
      expect(result).toMatchObject({ seq: 3, torn: undefined, damage: [{ kind: "corrupt" }] });
    }
  });

  test("in the last batch are part of it", () => {
    const [a, b, c] = linesOf(entriesOf([message("a"), message("b"), message("c")])) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const result = scan(a, glue(b, c));
    expect(seqs(result)).toEqual([1, 2, 3]);
    expect(result).toMatchObject({ seq: 3, torn: undefined, damage: [{ kind: "corrupt" }] });
  });

  test("of which the second is torn: the first is kept, the rest is cut, and a newline goes between", () => {
    const [one, two] = linesOf(entriesOf(message("1"), message("2"))) as [Buffer, Buffer];
    const result = scan(one.subarray(0, -1), two.subarray(0, 40));
    expect(seqs(result)).toEqual([1]);
    expect(result).toMatchObject({
      end: one.length - 1,
      unterminated: true,
      torn: { offset: one.length - 1, bytes: 40 },
    });
  });
});

describe("a line out of order", () => {
  const all = linesOf(entriesOf(...Array.from({ length: 9 }, (_, index) => message(String(index)))));
  const at = (...order: readonly number[]): ScannedBytes =>
    scan(...order.map((seq) => all[seq - 1] ?? Buffer.alloc(0)));
  const reasons = ({ damage }: ScannedBytes): string[] => damage.map(({ reason }) => reason);

  test("that was moved ahead hides none of those behind it", () => {
    const result = at(1, 2, 3, 8, 4, 5, 6, 7, 9);
    expect(seqs(result)).toEqual([1, 2, 3, 4, 5, 6, 7, 9]);
    expect(reasons(result)).toEqual(["seq 8 after seq 3: a copy, or out of order", "seq 8 is missing here"]);
  });

  test("that was copied ahead counts once, where it was written", () => {
    const result = at(1, 2, 3, 8, 4, 5, 6, 7, 8, 9);
    expect(seqs(result)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(reasons(result)).toEqual(["seq 8 after seq 3: a copy, or out of order"]);
  });

  test("that was moved ahead from the end: its seq is not given again", () => {
    const result = at(1, 2, 9, 3, 4, 5, 6, 7, 8);
    expect(seqs(result)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(result.seq).toBe(9);
  });

  test("is told from a gap by the next line, or by the end", () => {
    expect(seqs(at(1, 2, 5, 6))).toEqual([1, 2, 5, 6]);
    expect(seqs(at(1, 2, 5))).toEqual([1, 2, 5]);
    expect(seqs(at(1, 2, 5, 4, 6))).toEqual([1, 2, 4, 6]);
    expect(reasons(at(1, 2, 5))).toEqual(["seq 3 to 4 are missing here"]);
  });

  test("is refused with what it holds, so that a repair can put it back", () => {
    expect(at(1, 2, 4, 3, 5).refused.map(({ seq }) => seq)).toEqual([4]);
    expect(at(1, 2, 2, 3).refused.map(({ seq }) => seq)).toEqual([2]);
  });
});

describe("a checkpoint", () => {
  const entries = entriesOf(message("1"), message("2"), message("3"));
  const [one, two, three] = linesOf(entries) as [Buffer, Buffer, Buffer];
  const checkpointAt = (offset: number, before: Buffer, count: number): Buffer => {
    const state = entries.slice(0, count).reduce(foldEntry, EMPTY_STATE);
    return encodeCheckpoint(
      { state, sum: "00000000", place: { offset, before: lineSum(before) } },
      SESSION_ID,
    );
  };
  const old = (count: number): Buffer =>
    encodeCheckpoint(
      { state: entries.slice(0, count).reduce(foldEntry, EMPTY_STATE), sum: "00000000" },
      SESSION_ID,
    );
  const own = checkpointAt(one.length + two.length, two, 2);
  const stray = "a checkpoint of seq 2 that is not where it was written";

  test("counts where it was written", () => {
    expect(scan(one, two, own, three)).toMatchObject({ damage: [], checkpoints: [2], seq: 3 });
    expect(scan(one, two, old(2), three)).toMatchObject({ damage: [], checkpoints: [2], seq: 3 });
  });

  test("is ignored and reported anywhere else, and ends no batch", () => {
    for (const parts of [
      [one, own, two, three],
      [one, two, three, own],
      [one, own.subarray(0, 0), own, two, three],
    ]) {
      const result = scan(...parts);
      expect(result.damage.map(({ reason }) => reason)).toEqual([stray]);
      expect([seqs(result), result.checkpoints]).toEqual([[1, 2, 3], []]);
    }
    for (const parts of [
      [old(2), one, two, three],
      [one, old(2), two, three],
      [one, two, three, old(2)],
    ]) {
      expect(scan(...parts)).toMatchObject({ damage: [{ reason: stray }], checkpoints: [], seq: 3 });
    }
  });

  test("counts although the line before is damaged, but not behind another line of the same length", () => {
    expect(scan(one, spoiled(two), own, three)).toMatchObject({ checkpoints: [2], damage: [{ seq: 2 }] });
    expect(scan(one, spoiled(two), old(2), three)).toMatchObject({ checkpoints: [2], damage: [{ seq: 2 }] });
    expect(two.length).toBe(one.length);
    expect(scan(two, one, own, three).checkpoints).toEqual([]);
  });

  test("that was left without the record before it keeps its seq from being given again", () => {
    expect(scan(one, own)).toMatchObject({ seq: 2, checkpoints: [], damage: [{ reason: stray }] });
  });
});

test("a header among the records is reported, and is no lost record", () => {
  const header = encodeHeader(firstHeader({ key: "k", id: SESSION_ID, at: "2026-11-15T19:24:12.123Z" }));
  const result = scan(whole, header, line(0));
  expect(result.seq).toBe(11);
  expect(result.damage).toMatchObject([
    { reason: "a header that is not the first line" },
    { offset: whole.length + header.length },
  ]);
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
