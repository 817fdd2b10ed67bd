/** Blocks behind damage in the middle of a journal are read by their checksums. What an ordinary crash leaves is no damage. */

import { describe, expect, test } from "vitest";
import { blockSalt, encodeBlock, type JournalRecord } from "../../src/wal/block.ts";
import { encodeHead, headPosition, HEAD_BYTES, type JournalHead } from "../../src/wal/head.ts";
import { readJournal } from "../../src/wal/read-journal.ts";
import { checksum } from "../../src/format/checksum.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { toId } from "../../src/format/session-id.ts";

const INSTANCE = toId("01JCW0000000000000000000AB");
const SESSION = toId("01JCW0000000000000000000CD");
const HEAD: JournalHead = { instance: INSTANCE, generation: 2, owner: undefined };

function record(seq: number): JournalRecord {
  const message = JSON.stringify({ role: "user", content: `record ${seq}` });
  const entry = { seq, at: "2026-11-18T10:00:00.000Z", body: { op: "message", json: message } } as const;
  const bytes = Buffer.concat([encodeEntry(entry, SESSION)]);
  return { session: SESSION, file: 0, name: fileNameOf("s"), offset: seq * 1000, bytes };
}

/** Block n has the record with seq n. */
function block(number: number, head = HEAD): Buffer {
  return Buffer.from(encodeBlock(head, number, [record(number)]));
}

function journal(...pieces: readonly Buffer[]): Buffer {
  const start = Buffer.alloc(HEAD_BYTES, " ");
  encodeHead(HEAD).copy(start, headPosition(HEAD.generation));
  return Buffer.concat([start, ...pieces]);
}

function spoiled(bytes: Buffer, at = 100): Buffer {
  const copy = Buffer.from(bytes);
  copy.write("!!!!", at);
  return copy;
}

function read(bytes: Buffer): { seqs: number[]; reason: string | undefined; offset: number | undefined } {
  const before = Buffer.from(bytes);
  const contents = readJournal(bytes);
  expect(bytes.equals(before)).toBe(true);
  const seqs = (contents?.records ?? []).map(({ offset }) => offset / 1000);
  return { seqs, reason: contents?.damage?.reason, offset: contents?.damage?.offset };
}

const end = (...blocks: readonly Buffer[]): number => HEAD_BYTES + Buffer.concat(blocks).length;

describe("a block in the middle is damaged", () => {
  test.each([
    ["in its records", (bytes: Buffer) => spoiled(bytes)],
    ["in its first line", (bytes: Buffer) => spoiled(bytes, 3)],
    ["all of it is NULs", (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ["some of its bytes are gone", (bytes: Buffer) => bytes.subarray(64)],
    ["all of it is gone", () => Buffer.alloc(0)],
    [
      "its length says that it goes on to the end",
      (bytes: Buffer) => Buffer.from(bytes.toString().replace(/"bytes":\d+/, '"bytes":700')),
    ],
  ])("%s: those behind it are read, and it is told", (_, damage) => {
    const found = read(journal(block(1), damage(block(2)), block(3), block(4)));
    expect(found.seqs).toEqual([1, 3, 4]);
    expect(found.reason).toBe("block 2 is damaged, block 3 behind it is not");
    expect(found.offset).toBe(end(block(1)));
  });

  test("so is the first one, or several", () => {
    const found = read(
      journal(spoiled(block(1)), block(2), spoiled(block(3)), spoiled(block(4), 3), block(5)),
    );
    expect(found.seqs).toEqual([2, 5]);
    expect(found.reason).toBe(
      "block 1 is damaged, block 2 behind it is not; blocks 3 to 4 are damaged, block 5 behind them is not",
    );
    expect(found.offset).toBe(HEAD_BYTES);
  });

  test("something stands between two blocks", () => {
    const found = read(journal(block(1), Buffer.from("something else\n"), block(2)));
    expect(found.seqs).toEqual([1, 2]);
    expect(found.reason).toBe("something that is no block stands before block 2");
  });

  test("one bit of a block behind it was turned: that is turned back", () => {
    const turned = block(4);
    turned[120] = (turned[120] ?? 0) ^ 1;
    const found = read(journal(block(1), spoiled(block(2)), block(3), turned));
    expect(found.seqs).toEqual([1, 3, 4]);
  });
});

describe("what stands behind the last block and is none of its generation", () => {
  const OLDER = { ...HEAD, generation: 1 };

  test.each([
    ["zeros", Buffer.alloc(5000)],
    ["a block that a crash has cut short", block(2).subarray(0, -9)],
    ["a block that a crash has cut short, and zeros", Buffer.concat([spoiled(block(2)), Buffer.alloc(500)])],
    ["blocks of an earlier generation", Buffer.concat([block(2, OLDER), block(3, OLDER)])],
    ["a torn block, and those of an earlier generation", Buffer.concat([spoiled(block(2)), block(3, OLDER)])],
    ["a block of another instance", block(3, { ...HEAD, instance: SESSION })],
    ["a block before this one", block(1)],
  ])("%s: nothing is taken from it, and nothing is told", (_, behind) => {
    expect(read(journal(block(1), behind))).toEqual({ seqs: [1], reason: undefined, offset: undefined });
  });

  test("control: a block of this generation and instance is taken", () => {
    expect(read(journal(block(1), spoiled(block(2)), block(3))).seqs).toEqual([1, 3]);
  });
});

test("first lines that claim more than they have are not all summed up: looking for blocks ends", () => {
  // Each claims everything behind it, so that summing them all up would take the square of their number.
  const claims = Array.from({ length: 40_000 }, (_, index) => {
    const rest = (40_000 - index) * 70;
    const first = `{"generation":2,"block":3,"bytes":${rest},"crc":"00000000"}\n`;
    return Buffer.from(first.padEnd(70, "-"));
  });
  const bytes = journal(block(1), ...claims, block(3));
  expect(read(bytes)).toMatchObject({
    seqs: [1],
    reason: "block 2 is damaged, and what lies behind it is too much to look through",
  });
});

test("a block with a right checksum whose records are none of ours is passed over, and told", () => {
  const payload = Buffer.from("{}\n");
  const sum = checksum(blockSalt(HEAD, 2, payload.length), payload);
  const forged = Buffer.from(`{"generation":2,"block":2,"bytes":${payload.length},"crc":"${sum}"}\n{}\n`);
  const found = read(journal(block(1), forged, block(3)));
  expect(found.seqs).toEqual([1, 3]);
  expect(found.reason).toBe("block 2 has a right checksum, but names what is not ours");
});
