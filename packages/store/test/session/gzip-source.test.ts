/** A compressed segment reads like the segment; damage costs its member, is named, and hides nothing behind it. */

import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../src/session/byte-source.ts";
import { encodeMember } from "../../src/session/gzip-member.ts";
import { type GzipSource, openGzipSource } from "../../src/session/gzip-source.ts";
import { fileOfBytes } from "../support/file-of-bytes.ts";

/** Seven members of different lengths, not very compressible. */
const CONTENTS: readonly Buffer[] = Array.from({ length: 7 }, (_, index) => {
  const line = (): string => `${index} ${randomBytes(20 + index * 5).toString("hex")}\n`;
  return Buffer.from(Array.from({ length: 20 + index }, line).join(""));
});
const MEMBERS = CONTENTS.map((content) => encodeMember(content));
const PLAIN = Buffer.concat(CONTENTS);
const FILE = Buffer.concat(MEMBERS);

const sum = (buffers: readonly Buffer[]): number => buffers.reduce((total, { length }) => total + length, 0);
const placeOf = (index: number): number => sum(MEMBERS.slice(0, index));
const startOf = (index: number): number => sum(CONTENTS.slice(0, index));
const lengthOf = (index: number): number => CONTENTS[index]?.length ?? 0;

async function open(file: Buffer, expectedBytes: number | undefined = PLAIN.length): Promise<GzipSource> {
  const source = await openGzipSource(fileOfBytes(file), expectedBytes);
  if (source === undefined) throw new Error("not our members");
  return source;
}

async function readAll(source: ByteSource): Promise<Buffer> {
  const bytes = Buffer.alloc(source.size, "?");
  expect(await source.read(bytes, 0)).toBe(source.size);
  return bytes;
}

function damaged(at: number, change: (copy: Buffer) => void = (copy) => copy.fill(0xa5, at, at + 2)): Buffer {
  const copy = Buffer.from(FILE);
  change(copy);
  return copy;
}

/** What is read in place of lost bytes. */
const lost = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes[length - 1] = 0x0a;
  return bytes;
};

/** The segment with one member lost. */
const without = (lostOne: number): Buffer =>
  Buffer.concat(CONTENTS.map((content, index) => (index === lostOne ? lost(content.length) : content)));

describe("reading", () => {
  test("any piece, from anywhere, is the piece of the segment", async () => {
    const source = await open(FILE);
    expect(source.size).toBe(PLAIN.length);
    await fc.assert(
      fc.asyncProperty(fc.nat(PLAIN.length + 10), fc.nat(4000), async (position, length) => {
        const into = Buffer.alloc(length);
        const expected = PLAIN.subarray(position, position + length);
        expect(await source.read(into, position)).toBe(expected.length);
        expect(into.subarray(0, expected.length).equals(expected)).toBe(true);
      }),
    );
    expect(source.damage).toEqual([]);
  });

  test("opening reads headers only, and a read decompresses what it needs, once", async () => {
    const file = fileOfBytes(FILE);
    const source = await openGzipSource(file, PLAIN.length);
    expect(Math.max(...file.reads)).toBeLessThan(64);
    file.reads.length = 0;
    for (let round = 0; round < 3; round++) await source?.read(Buffer.alloc(10), startOf(3) + round);
    expect(file.reads).toEqual([MEMBERS[3]?.length]);
  });

  test("what it keeps is bounded", async () => {
    const content = Buffer.alloc(250_000, "long line\n");
    const file = fileOfBytes(Buffer.concat(Array.from({ length: 12 }, () => encodeMember(content))));
    const source = await openGzipSource(file, content.length * 12);
    const touchFirst = async (): Promise<number> => {
      file.reads.length = 0;
      await source?.read(Buffer.alloc(1), 0);
      return file.reads.length;
    };
    expect(await touchFirst()).toBe(1);
    expect(await touchFirst()).toBe(0);
    for (let index = 1; index < 12; index++) await source?.read(Buffer.alloc(1), index * content.length);
    expect(await touchFirst()).toBe(1);
  });
});

describe("damage", () => {
  test("in a member's data: lost is that member, named once, the rest is there", async () => {
    for (let index = 0; index < MEMBERS.length; index++) {
      const source = await open(damaged(placeOf(index) + 60));
      expect(await readAll(source)).toEqual(without(index));
      expect(await readAll(source)).toEqual(without(index));
      expect(source.damage).toEqual([
        {
          offset: startOf(index),
          bytes: lengthOf(index),
          reason: { code: "gzip-damaged", at: placeOf(index) },
          compressed: { offset: placeOf(index), bytes: MEMBERS[index]?.length },
        },
      ]);
    }
  });

  test("of any one bit of a header: what the member holds is still read, and the header is named", async () => {
    for (const index of [0, 3, 6]) {
      for (let bit = 0; bit < 24 * 8; bit++) {
        const at = placeOf(index) + (bit >> 3);
        const source = await open(damaged(at, (copy) => (copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7)))));
        expect((await readAll(source)).equals(PLAIN)).toBe(true);
        expect(source.damage).toMatchObject([{ offset: startOf(index) + lengthOf(index), bytes: 0 }]);
      }
    }
  });

  test("of a header and its data: the gap is what is missing of the whole, and it says where it goes on", async () => {
    for (let index = 0; index < MEMBERS.length; index++) {
      const at = placeOf(index);
      const source = await open(damaged(at, (copy) => copy.fill(0xa5, at, at + 80)));
      expect(await readAll(source)).toEqual(without(index));
      expect(source.damage).toMatchObject([{ offset: startOf(index), bytes: lengthOf(index) }]);
      expect(source.damage[0]?.reason).toEqual({ code: "gzip-gap", from: at, to: placeOf(index + 1) });
    }
  });

  test("over two members together, one gap; apart, two gaps that share what is missing", async () => {
    const wipe =
      (...indexes: readonly number[]) =>
      (copy: Buffer): void => {
        for (const index of indexes) copy.fill(0, placeOf(index), placeOf(index) + 80);
      };
    const together = await open(damaged(0, wipe(2, 3)));
    const gap = lost(lengthOf(2) + lengthOf(3));
    const deps = [PLAIN.subarray(0, startOf(2)), gap, PLAIN.subarray(startOf(4))];
    expect(await readAll(together)).toEqual(Buffer.concat(deps));
    expect(together.damage).toHaveLength(1);
    const apart = await open(damaged(0, wipe(1, 4)));
    const bytes = await readAll(apart);
    expect(apart.size).toBe(PLAIN.length);
    expect(apart.damage).toHaveLength(2);
    expect(bytes.subarray(0, startOf(1))).toEqual(PLAIN.subarray(0, startOf(1)));
    expect(bytes.subarray(startOf(5))).toEqual(PLAIN.subarray(startOf(5)));
    // Between the gaps the bytes are whole, only where they lie is a guess; each gap ends its line.
    const middle = PLAIN.subarray(startOf(2), startOf(4));
    const found = bytes.indexOf(middle);
    expect(bytes[found - 1]).toBe(0x0a);
    expect(found).toBe(apart.damage[0] && apart.damage[0].offset + apart.damage[0].bytes);
  });

  test("without the expected length a gap counts as long as it is in the file", async () => {
    const at = placeOf(2);
    const file = damaged(at, (copy) => copy.fill(0, at, at + 80));
    const source = await openGzipSource(fileOfBytes(file), undefined);
    expect(source?.size).toBe(PLAIN.length - lengthOf(2) + (MEMBERS[2]?.length ?? 0));
  });

  test("a foreign piece in between, and one that begins like ours, are gaps of nothing", async () => {
    for (const piece of [gzipSync("foreign"), (MEMBERS[1] ?? FILE).subarray(0, 40), Buffer.alloc(300_000)]) {
      const source = await open(Buffer.concat([...MEMBERS.slice(0, 3), piece, ...MEMBERS.slice(3)]));
      expect((await readAll(source)).equals(PLAIN)).toBe(true);
      expect(source.damage).toMatchObject([
        { offset: startOf(3), bytes: 0, compressed: { bytes: piece.length } },
      ]);
    }
  });
});

describe("a truncated file", () => {
  test("at every length: everything before the cut is read, the rest is named, the size is right", async () => {
    for (let length = 24; length < FILE.length; length += 7) {
      const source = await openGzipSource(fileOfBytes(FILE.subarray(0, length)), PLAIN.length);
      if (source === undefined) throw new Error(`nothing at ${length}`);
      expect(source.size).toBe(PLAIN.length);
      const bytes = await readAll(source);
      const whole = MEMBERS.findIndex((_, index) => placeOf(index + 1) > length);
      const firstLost = Math.min(...source.damage.map(({ offset }) => offset));
      expect(firstLost).toBeGreaterThanOrEqual(startOf(whole));
      expect(bytes.subarray(0, firstLost).equals(PLAIN.subarray(0, firstLost))).toBe(true);
      expect(source.damage.reduce((total, damage) => total + damage.bytes, firstLost)).toBe(PLAIN.length);
    }
  });

  test("also the beginning of the member in which it ends is read", async () => {
    const length = placeOf(3) + Math.floor((MEMBERS[3]?.length ?? 0) * 0.8);
    const source = await open(FILE.subarray(0, length));
    await readAll(source);
    const firstLost = Math.min(...source.damage.map(({ offset }) => offset));
    expect(firstLost).toBeGreaterThan(startOf(3) + 100);
  });
});

describe("not our members", () => {
  test("plain gzip, text, binary and nothing at all are said to be so", async () => {
    const others = [
      gzipSync(PLAIN),
      PLAIN,
      randomBytes(5000),
      Buffer.alloc(0),
      Buffer.from([0x1f]),
      gzipSync(""),
    ];
    for (const bytes of others) expect(await openGzipSource(fileOfBytes(bytes), 100)).toBeUndefined();
  });
});
