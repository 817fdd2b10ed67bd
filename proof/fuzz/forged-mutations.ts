/**
 * Mutations that keep the checksums right, so that what is changed gets past them: values of records, headers, chains,
 * checkpoints, aliases, places in a journal, lengths in gzip members. No program of ours writes such files; reading them
 * must end, in bounded memory, without anything but typed errors.
 */

import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { SeededRandom } from "@longhand/store/testing";
import { changeFields, extremeValue, replaceName, replaceValue } from "./extreme-values.ts";
import { HEAD_BYTES, headCopy, putTogether, takeApart, type JournalBlock } from "./journal-blocks.ts";
import { joinLines, splitLines } from "./line-mutations.ts";
import { sealAgain } from "./sealed-line.ts";

export interface ForgedFile {
  readonly path: string;
  readonly bytes: Buffer;
  /** The session whose id salts its lines. */
  readonly salt: string;
}

export function forge({ path, bytes, salt }: ForgedFile, random: SeededRandom): Buffer {
  if (path.endsWith(".journal")) return forgeJournal(bytes, random);
  if (path.endsWith(".gz")) return forgeGzip(bytes, salt, random);
  if (path.endsWith(".json")) return forgeLines(bytes, () => "alias", random);
  return forgeLines(bytes, (index) => (index === 0 ? "" : salt), random);
}

function forgeLines(bytes: Buffer, saltOf: (index: number) => string, random: SeededRandom): Buffer {
  const lines = splitLines(bytes);
  for (let left = 1 + random.below(2); left > 0; left--) {
    const index = random.below(Math.max(1, lines.length - 1));
    const line = lines[index] ?? Buffer.alloc(0);
    lines[index] = sealAgain(Buffer.from(forgeText(line.toString("utf8"), random)), saltOf(index));
  }
  return joinLines(lines);
}

function forgeText(text: string, random: SeededRandom): string {
  const open = text.replace(/,"crc":"[0-9a-f]{8}"\}$/, "");
  return `${changeText(open, random)}}`;
}

function changeText(text: string, random: SeededRandom): string {
  switch (random.below(4)) {
    case 0:
      return changeFields(text, random);
    case 1:
      return replaceName(text, random);
    default:
      return replaceValue(text, random);
  }
}

function forgeJournal(bytes: Buffer, random: SeededRandom): Buffer {
  const parts = takeApart(bytes);
  if (random.below(6) === 0 || parts.blocks.length === 0) {
    const start = random.below(2) * (HEAD_BYTES / 2);
    const line = parts.head.subarray(start, parts.head.indexOf("\n", start));
    const forged = Buffer.from(parts.head);
    headCopy(Buffer.from(forgeText(line.toString("utf8").trimEnd(), random))).copy(forged, start);
    return putTogether({ ...parts, head: forged });
  }
  const blocks = [...parts.blocks];
  const index = random.below(blocks.length);
  const block = blocks[index];
  if (block !== undefined) blocks[index] = forgeBlock(block, random);
  return putTogether({ ...parts, blocks });
}

function forgeBlock(block: JournalBlock, random: SeededRandom): JournalBlock {
  if (random.below(8) === 0) return { ...block, number: extremeValue(random).slice(0, 20) };
  const records = [...block.records];
  const index = random.below(records.length);
  const record = records[index];
  if (record !== undefined) records[index] = { ...record, place: changeText(record.place, random) };
  return { ...block, records };
}

const MEMBER_HEADER_BYTES = 24;
const TRAILER_BYTES = 8;
/** More than any line of ours: what inflates to it must be given up on the way. */
const BOMB_BYTES = 70 * 1024 * 1024;

function forgeGzip(bytes: Buffer, salt: string, random: SeededRandom): Buffer {
  const member = Buffer.from(bytes);
  const content = inflateRawSync(bytes.subarray(MEMBER_HEADER_BYTES, -TRAILER_BYTES));
  switch (random.below(5)) {
    case 0:
      member.writeUInt32LE(anyLength(random), 16);
      return member;
    case 1:
      member.writeUInt32LE(anyLength(random), 20);
      return member;
    case 2: {
      const length = anyLength(random);
      member.writeUInt32LE(length, 20);
      member.writeUInt32LE(length, member.length - 4);
      return member;
    }
    case 3: {
      const isBomb = random.below(100) === 0;
      const held = isBomb ? Buffer.alloc(BOMB_BYTES, "x") : Buffer.alloc(random.below(100_000), "x");
      return packMember(held, isBomb ? anyLength(random) : held.length);
    }
    default: {
      const forged = forgeLines(content, (index) => (index === 0 ? "" : salt), random);
      return packMember(forged, forged.length);
    }
  }
}

const LENGTHS = [0, 1, 24, 33, 4096, 262_144, 67_108_864, 67_174_400, 2 ** 31, 2 ** 32 - 1];

function anyLength(random: SeededRandom): number {
  return LENGTHS[random.below(LENGTHS.length)] ?? 0;
}

function packMember(content: Buffer, claimed: number): Buffer {
  const data = deflateRawSync(content, { level: 1 });
  const member = Buffer.alloc(MEMBER_HEADER_BYTES + data.length + TRAILER_BYTES);
  Buffer.from("1f8b08040000000000ff0c004c480800", "hex").copy(member);
  member.writeUInt32LE(member.length, 16);
  member.writeUInt32LE(claimed, 20);
  data.copy(member, MEMBER_HEADER_BYTES);
  member.writeUInt32LE(crc32(content), member.length - TRAILER_BYTES);
  member.writeUInt32LE(claimed, member.length - 4);
  return member;
}
