/** Lines of any length, forwards and backwards, over the borders of chunks: the same as a plain split gives. */

import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../src/session/byte-source.ts";
import { readLines, readLinesBackwards } from "../../src/session/read-lines.ts";
import { MAX_LINE_BYTES, NEWLINE } from "../../src/format/format.ts";
import type { ScannedLine } from "../../src/format/scan.ts";

/** What is read at a time; lines are made to end around its multiples. */
const CHUNK = 128 * 1024;

function sourceOf(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (into, position) => Promise.resolve(bytes.copy(into, 0, position, position + into.length)),
  };
}

/** The plainest way: everything in memory, split at each newline. */
function split(bytes: Buffer, from: number, to: number): ScannedLine[] {
  const lines: ScannedLine[] = [];
  for (let offset = from; offset < to;) {
    const newline = bytes.subarray(0, to).indexOf(NEWLINE, offset);
    const end = newline === -1 ? to : newline;
    const length = newline === -1 ? to - offset : newline + 1 - offset;
    lines.push({ offset, content: bytes.subarray(offset, end), bytes: length, terminated: newline !== -1 });
    offset += length;
  }
  return lines;
}

async function collect(chunks: AsyncIterable<readonly ScannedLine[]>): Promise<ScannedLine[]> {
  const lines: ScannedLine[] = [];
  for await (const chunk of chunks) for (const line of chunk) lines.push(line);
  return lines;
}

const plain = ({ offset, bytes, terminated, content }: ScannedLine): ScannedLine => {
  return { offset, bytes, terminated, content };
};

/** Comparable without a diff of megabytes. */
const told = (lines: readonly ScannedLine[]): string[] =>
  lines.map(({ offset, bytes, terminated, content }) => {
    const sum = content === undefined ? "not kept" : `${content.length} ${crc32(content)}`;
    return `${offset}+${bytes}${terminated ? "" : " open"} ${sum}`;
  });

async function expectSplit(bytes: Buffer, from: number, to: number): Promise<void> {
  const expected = told(split(bytes, from, to));
  const source = sourceOf(bytes);
  expect(told(await collect(readLines(source, from, to)))).toEqual(expected);
  expect(told(await collect(readLinesBackwards(source, from, to))).reverse()).toEqual(expected);
  expect(told(await collect(readLines(source, from, to, 512)))).toEqual(expected);
  expect(told(await collect(readLinesBackwards(source, from, to, 512))).reverse()).toEqual(expected);
}

test("a line much longer than a chunk takes few reads, in both directions", async () => {
  const bytes = joined([100, 100_000, 100], true);
  let reads = 0;
  const counted: ByteSource = {
    size: bytes.length,
    read: (into, position) => {
      reads += 1;
      return bytes.copy(into, 0, position, position + into.length);
    },
  };
  await collect(readLines(counted, 0, bytes.length, 1024));
  await collect(readLinesBackwards(counted, 0, bytes.length, 1024));
  expect(reads).toBeLessThan(20);
});

/** Lines without their newlines; what fills them differs from line to line. */
function joined(lengths: readonly number[], isTerminated: boolean): Buffer {
  const lines = lengths.map((length, index) => Buffer.alloc(length, "abcdefghijklm"[index % 13]));
  const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
  return isTerminated ? text : text.subarray(0, -1);
}

describe("lines in chunks", () => {
  const deps = fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: -3, max: 3 }));
  const length = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 2000 }) },
    { weight: 3, arbitrary: deps.map(([chunks, more]) => Math.max(0, chunks * CHUNK + more)) },
  );

  test("whole sources, whose lines end around the borders of chunks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 8 }), fc.boolean(), async (lengths, isTerminated) => {
        const bytes = joined(lengths, isTerminated);
        await expectSplit(bytes, 0, bytes.length);
      }),
      { numRuns: 60 },
    );
  });

  test("parts of sources: from the beginning of any line to the end of any", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(length, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        async (lengths, first, last) => {
          const bytes = joined(lengths, true);
          const lines = split(bytes, 0, bytes.length);
          const from = lines[first % lines.length]?.offset ?? 0;
          const end = lines[last % lines.length];
          const to = (end?.offset ?? 0) + (end?.bytes ?? 0);
          fc.pre(from < to);
          await expectSplit(bytes, from, to);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("every length of two lines around one border", async () => {
    for (let first = CHUNK - 4; first <= CHUNK + 3; first++) {
      for (const second of [0, 1, 2, CHUNK - 2, CHUNK - 1, CHUNK]) {
        for (const isTerminated of [true, false]) {
          const bytes = joined([first, second], isTerminated);
          await expectSplit(bytes, 0, bytes.length);
        }
      }
    }
  });

  test("nothing at all, and nothing but newlines", async () => {
    await expectSplit(Buffer.alloc(0), 0, 0);
    await expectSplit(Buffer.alloc(3, "\n"), 0, 3);
    const crowd = Buffer.concat([Buffer.alloc(CHUNK - 2, "x"), Buffer.alloc(5, "\n")]);
    await expectSplit(crowd, 0, crowd.length);
  });

  test("a line longer than any of ours is counted, not kept; its neighbours are read", async () => {
    const before = Buffer.from("before\n");
    const after = Buffer.from("after\n");
    const size = before.length + MAX_LINE_BYTES + 2 + after.length;
    let largest = 0;
    const source: ByteSource = {
      size,
      read: (into, position) => {
        largest = Math.max(largest, into.length);
        into.fill("x");
        const end = size - after.length;
        for (const [at, bytes] of [
          [0, before],
          [end - 1, Buffer.from("\n")],
          [end, after],
        ] as const) {
          if (at + bytes.length > position && at < position + into.length)
            bytes.copy(into, Math.max(0, at - position), Math.max(0, position - at));
        }
        return Promise.resolve(into.length);
      },
    };
    const expected = [
      { offset: 0, bytes: 7, terminated: true, content: Buffer.from("before") },
      { offset: 7, bytes: MAX_LINE_BYTES + 2, terminated: true, content: undefined },
      { offset: size - 6, bytes: 6, terminated: true, content: Buffer.from("after") },
    ];
    expect((await collect(readLines(source, 0, size))).map(plain)).toEqual(expected);
    expect((await collect(readLinesBackwards(source, 0, size))).reverse()).toEqual(expected);
    expect(largest).toBe(CHUNK);
  });
});
