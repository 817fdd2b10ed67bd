/**
 * A file that is read in chunks, by the short way where a line is ordinary, gives the same entries and the same damage as one
 * whose every line is decoded in full: as it was written, and edited in every way that files are.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../../src/format/checksum.ts";
import { reasonText } from "../../src/format/damage-reason.ts";
import { encodeEntry, encodeLost } from "../../src/format/encode.ts";
import type { Body } from "../../src/format/entry.ts";
import { EMPTY_STATE, foldEntry } from "../../src/format/fold.ts";
import { encodeHeader, firstHeader } from "../../src/format/header.ts";
import { lineSum } from "../../src/format/line-checksum.ts";
import { entryOf, recordsInOrder } from "../../src/format/records-in-order.ts";
import { LineInChunk, type ScanDamage } from "../../src/format/scan-visitor.ts";
import { toEntries } from "../../src/format/to-entries.ts";
import { patchedSource } from "../../src/session/byte-source.ts";
import { partsOf } from "../../src/session/log-part.ts";
import { readEntries } from "../../src/session/read-entries.ts";
import { scanTail } from "../../src/session/scan-tail.ts";
import { readLines } from "../../src/session/read-lines.ts";
import { anyBody } from "../support/arbitrary-entries.ts";
import { fileOfBytes } from "../support/file-of-bytes.ts";
import { plainEntry } from "../support/plain-entry.ts";
import { message, SESSION_ID } from "../support/sample-log.ts";
import { scanBytes, scanLines, type ScannedBytes } from "../support/scan-bytes.ts";

const AT = "2026-11-15T19:24:12.123Z";

type Step = { readonly bodies: readonly Body[]; readonly id?: string } | "checkpoint" | "lost";

const text = fc.oneof(
  { weight: 5, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant("long ".repeat(9000)) },
);
const body = fc.oneof({ weight: 5, arbitrary: text.map(message) }, { weight: 1, arbitrary: anyBody });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: body.map((one) => ({ bodies: [one] })) },
  {
    weight: 2,
    arbitrary: fc.record({ bodies: body.map((one) => [one]), id: fc.string({ minLength: 1, maxLength: 9 }) }),
  },
  { weight: 2, arbitrary: fc.array(body, { minLength: 2, maxLength: 5 }).map((bodies) => ({ bodies })) },
  { weight: 2, arbitrary: fc.constant<Step>("checkpoint") },
  { weight: 1, arbitrary: fc.constant<Step>("lost") },
);
const steps = fc.array(step, { minLength: 1, maxLength: 25 });

const header = encodeHeader(firstHeader({ key: "k", id: SESSION_ID, at: AT }));

/** Its lines, without the header. */
function write(given: readonly Step[]): Buffer[] {
  let state = EMPTY_STATE;
  let offset = header.length;
  let sum = continueSum(EMPTY_SUM, header);
  const lines: Buffer[] = [];
  const add = (line: Buffer): void => {
    offset += line.length;
    sum = continueSum(sum, line);
    lines.push(line);
  };
  for (const each of given) {
    if (each === "checkpoint") {
      const place = { offset, before: lineSum(lines.at(-1) ?? header) };
      add(encodeCheckpoint({ state, sum, place }, SESSION_ID));
    } else if (each === "lost") {
      add(encodeLost(state.seq + 1, state.seq + 1, AT, SESSION_ID));
      state = { ...state, seq: state.seq + 1 };
    } else {
      for (const entry of toEntries(state, each.bodies, each.id, AT)) {
        add(encodeEntry(entry, SESSION_ID));
        state = foldEntry(state, entry);
      }
    }
  }
  return lines;
}

type Edit = (lines: Buffer[], at: number, other: number) => void;

const flip = (line: Buffer, at: number, mask: number): Buffer => {
  const copy = Buffer.from(line);
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ mask;
  return copy;
};

const EDITS: readonly Edit[] = [
  () => undefined,
  (lines, at) => lines.splice(at % lines.length, 1),
  (lines, at, other) => lines.splice(other % lines.length, 0, lines[at % lines.length] ?? header),
  (lines, at, other) => lines.splice(other % lines.length, 0, ...lines.splice(at % lines.length, 3)),
  (lines, at) => lines.splice(at % lines.length, 0, header),
  (lines, at) => lines.splice(at % lines.length, 0, Buffer.from("\n")),
  (lines, at, other) => lines.splice(at % lines.length, 0, Buffer.alloc(other % 300)),
  (lines, at) => lines.splice(at % lines.length, 0, Buffer.from("another program's line\n")),
  (lines, at, other) => {
    lines[at % lines.length] = flip(lines[at % lines.length] ?? header, other, 1 << (other % 8));
  },
  // The newline is gone, or another byte.
  (lines, at) => {
    lines[at % lines.length] = lines[at % lines.length]?.subarray(0, -1) ?? header;
  },
  (lines, at) => {
    const line = lines[at % lines.length] ?? header;
    lines[at % lines.length] = Buffer.concat([line.subarray(0, -1), Buffer.from("\r\n")]);
  },
  (lines, at) => {
    lines[at % lines.length] = flip(
      lines[at % lines.length] ?? header,
      (lines[at % lines.length]?.length ?? 1) - 1,
      4,
    );
  },
  // Cut off.
  (lines, at, other) => {
    const line = lines[at % lines.length] ?? header;
    lines.splice(at % lines.length, lines.length, line.subarray(0, other % line.length));
  },
];

const edits = fc.array(fc.tuple(fc.constantFrom(...EDITS), fc.nat(), fc.nat()), { maxLength: 3 });

function edited(lines: readonly Buffer[], given: readonly [Edit, number, number][]): Buffer {
  const copy = [...lines];
  for (const [edit, at, other] of given) if (copy.length > 0) edit(copy, at, other);
  return Buffer.concat(copy);
}

const START = { offset: header.length, seqBefore: 0, sumBefore: lineSum(header) };

async function scanChunks(
  bytes: Buffer,
): Promise<{ readonly scanned: ScannedBytes; readonly short: number }> {
  const source = patchedSource(fileOfBytes(bytes), bytes.length, []);
  const lines = [];
  for await (const chunk of readLines(source, header.length, bytes.length)) lines.push(...chunk);
  const scanned = scanLines(lines, SESSION_ID, START);
  const entries = scanned.entries.map(plainEntry);
  const refused = scanned.refused.map(plainEntry);
  const short = lines.filter((line) => line instanceof LineInChunk).length;
  return { scanned: { ...scanned, entries, refused }, short };
}

/** What a line has been damaged to, not where it stands. */
const BAD_LINE = /^(checksum mismatch|not a whole record|an empty line|filled with NUL bytes)$/;

describe("a file read in chunks", () => {
  test("is judged as one whose every line is decoded in full", async () => {
    let short = 0;
    await fc.assert(
      fc.asyncProperty(steps, edits, async (given, changes) => {
        const bytes = Buffer.concat([header, edited(write(given), changes)]);
        const result = await scanChunks(bytes);
        expect(result.scanned).toEqual(scanBytes(bytes, SESSION_ID, START));
        short += result.short;
      }),
      { numRuns: 400 },
    );
    expect(short).toBeGreaterThan(1000);
  });

  test("gives the same forwards; and backwards the same in reverse, while no line is out of place", async () => {
    await fc.assert(
      fc.asyncProperty(steps, edits, async (given, changes) => {
        const bytes = Buffer.concat([header, edited(write(given), changes)]);
        const { entries, damage } = scanBytes(bytes, SESSION_ID, START);
        const forwards = await read(bytes, false);
        expect(forwards.entries).toEqual(entries);
        // Behind it there may be what a reader says of the end.
        expect(forwards.damage.slice(0, damage.length)).toEqual(damage);
        const backwards = await read(bytes, true);
        if (damage.every(({ reason }) => BAD_LINE.test(reason)))
          expect(backwards.entries.reverse()).toEqual(entries);
      }),
      { numRuns: 300 },
    );
  });

  test("of lines that need no decision, the scanner takes every one, and reports nothing", async () => {
    let undecided = 0;
    let ordinary = 0;
    await fc.assert(
      fc.asyncProperty(steps, edits, async (given, changes) => {
        const lines = write(given.filter((each) => each !== "checkpoint"));
        const bytes = Buffer.concat([header, edited(lines, changes)]);
        const records = recordsInOrder(bytes.subarray(header.length), SESSION_ID, 0);
        const scanned = scanBytes(bytes, SESSION_ID, START);
        if (records === undefined) undecided += 1;
        else {
          ordinary += 1;
          expect(records.map(entryOf).map(plainEntry)).toEqual(scanned.entries);
          const { damage, refused, torn, unterminated, end } = scanned;
          expect({ damage, refused, torn, unterminated, end }).toEqual({
            ...{ damage: [], refused: [], torn: undefined, unterminated: false },
            end: bytes.length,
          });
        }
        // What is opened from its end is what all lines lead to.
        const source = patchedSource(fileOfBytes(bytes), bytes.length, []);
        const outcome = await scanTail(source, async () => await Promise.resolve(EMPTY_STATE));
        if (outcome.kind !== "tail" || scanned.damage.length > 0) return;
        const state = scanned.entries.reduce(foldEntry, EMPTY_STATE);
        expect(outcome.tail).toMatchObject({ state: { ...state, seq: scanned.seq }, end: scanned.end });
      }),
      { numRuns: 400 },
    );
    expect(Math.min(undecided, ordinary)).toBeGreaterThan(50);
  });

  test.each([
    [
      "whole",
      [
        [1, 2],
        [2, 2],
      ],
      true,
    ],
    ["without its end", [[1, 2]], false],
    ["without its beginning", [[2, 2]], false],
    [
      "of another size at its end",
      [
        [1, 3],
        [2, 2],
      ],
      false,
    ],
    [
      "begun again",
      [
        [1, 2],
        [1, 2],
        [2, 2],
      ],
      false,
    ],
  ] as const)("a batch that is %s needs a decision, unless it is whole", (_, positions, isOrdinary) => {
    const lines = positions.map(([index, size], at) =>
      encodeEntry({ seq: at + 1, at: AT, batch: { index, size }, body: message("x") }, SESSION_ID),
    );
    expect(recordsInOrder(Buffer.concat(lines), SESSION_ID, 0) !== undefined).toBe(isOrdinary);
  });

  test("a block that is too long to be held in memory is read backwards like any other", async () => {
    const long = "x".repeat(300_000);
    const lines = write(
      Array.from({ length: 20 }, (_, index) => ({ bodies: [message(`${index} ${long}`)] })),
    );
    const bytes = edited(
      [header, ...lines],
      [
        [EDITS[8] ?? ((): void => undefined), 7, 4],
        [EDITS[9] ?? ((): void => undefined), 12, 0],
      ],
    );
    const forwards = await read(bytes, false);
    const backwards = await read(bytes, true);
    expect(backwards.entries.reverse()).toEqual(forwards.entries);
    expect(backwards.damage).toEqual(forwards.damage);
    expect(forwards.entries.length).toBe(19);
  });
});

async function read(
  bytes: Buffer,
  reverse: boolean,
): Promise<{ entries: ScannedBytes["entries"][number][]; damage: ScannedBytes["damage"][number][] }> {
  const damage: ScannedBytes["damage"][number][] = [];
  const identity = firstHeader({ key: "k", id: SESSION_ID, at: AT });
  const log = {
    parts: partsOf(identity, bytes.length, Number.MAX_SAFE_INTEGER),
    onDamage: (place: ScanDamage): unknown => damage.push({ ...place, reason: reasonText(place.reason) }),
    openPart: async () =>
      await Promise.resolve({
        path: "",
        source: patchedSource(fileOfBytes(bytes), bytes.length, []),
        close: async () => await Promise.resolve(),
      }),
  };
  const entries = [];
  for await (const block of readEntries(log, { from: 1, to: Number.MAX_SAFE_INTEGER, reverse }))
    entries.push(...block.map(plainEntry));
  return { entries, damage };
}
