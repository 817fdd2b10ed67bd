/**
 * A block is what one commit writes: records with their places, behind a line that gives generation, number, length
 * and a checksum salted with all of them and with the instance. A block is valid or it is nothing.
 *
 *   {"generation":1,"block":2,"bytes":412,"crc":"9a0c77d1"}
 *   {"session":"01JCW…","file":0,"name":"telegram_1~4kq0.jsonl","offset":118,"bytes":96,"after":"5f2a90c1"}
 *   {"seq":1,…}
 */

import { checksum, isSum } from "../format/checksum.ts";
import { NEWLINE } from "../format/format.ts";
import { isCount } from "../format/is-count.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { isFileName, type FileName } from "../format/key.ts";
import type { LostBefore } from "../format/lost-before.ts";
import { isId, type Id } from "../format/session-id.ts";
import type { JournalHead } from "./head.ts";

/** Bytes and their place. Writing them there is idempotent, whoever does it, however often, however late. */
export interface JournalRecord {
  /** The session's id, never its key: a new session of the same key is another one. */
  readonly session: Id;
  /** How many files of this session were sealed before the one meant. */
  readonly file: number;
  /** The file's name when this was written: where to look first; the id in its header decides. */
  readonly name: FileName;
  readonly offset: number;
  readonly bytes: Buffer;
  /**
   * The checksum of the line before it. Not in journals of earlier versions, nor where what was before it was no whole
   * line: such a record is written at its position whatever is before it, but over no other whole line.
   */
  readonly after?: string | undefined;
  /** What the journal has lost of this file before this record. Not written: its reader finds it out. */
  readonly lostBefore?: LostBefore | undefined;
}

export interface Block {
  readonly records: readonly JournalRecord[];
  /** With its first line. */
  readonly bytes: number;
}

const FIRST_LINE = /^\{"generation":([0-9]+),"block":([0-9]+),"bytes":([0-9]+),"crc":"([0-9a-f]{8})"\}$/;
export const FIRST_LINE_LIMIT = 128;

/** `scratch`: memory for it, if it fits there; the block is a part of that. */
export function encodeBlock(
  head: JournalHead,
  number: number,
  records: readonly JournalRecord[],
  scratch: Buffer = Buffer.alloc(0),
): Buffer {
  const positions = records.map((record) => positionLine(record));
  const payloadBytes = recordBytes(positions, records);
  const end = FIRST_LINE_LIMIT + payloadBytes;
  const buffer = end <= scratch.length ? scratch : Buffer.allocUnsafe(end);
  writeRecords(buffer, FIRST_LINE_LIMIT, positions, records);
  const sum = checksum(blockSalt(head, number, payloadBytes), buffer.subarray(FIRST_LINE_LIMIT, end));
  const first = `{"generation":${head.generation},"block":${number},"bytes":${payloadBytes},"crc":"${sum}"}\n`;
  // It depends on what comes behind it, and has its place before that.
  const start = FIRST_LINE_LIMIT - first.length;
  buffer.write(first, start, "latin1");
  return buffer.subarray(start, end);
}

/** Each behind a line that names its position. */
export function encodeRecords(records: readonly JournalRecord[]): Buffer {
  const positions = records.map((record) => positionLine(record));
  const buffer = Buffer.allocUnsafe(recordBytes(positions, records));
  writeRecords(buffer, 0, positions, records);
  return buffer;
}

/** Nothing in it needs an escape, and all of it is ASCII: ids, names and sums are checked where they are made or read. */
function positionLine({ session, file, name, offset, bytes, after }: JournalRecord): string {
  const position = `{"session":"${session}","file":${file},"name":"${name}","offset":${offset},"bytes":${bytes.length}`;
  return after === undefined ? `${position}}\n` : `${position},"after":"${after}"}\n`;
}

function recordBytes(positions: readonly string[], records: readonly JournalRecord[]): number {
  let bytes = 0;
  for (const position of positions) bytes += position.length;
  for (const record of records) bytes += record.bytes.length;
  return bytes;
}

function writeRecords(
  into: Buffer,
  start: number,
  positions: readonly string[],
  records: readonly JournalRecord[],
): void {
  let at = start;
  for (const [index, { bytes }] of records.entries()) {
    at += into.write(positions[index] ?? "", at, "latin1");
    at += bytes.copy(into, at);
  }
}

/** The block of this generation and number that begins at `start`, if a valid one does. */
export function decodeBlock(
  bytes: Buffer,
  start: number,
  head: JournalHead,
  number: number,
): Block | undefined {
  const sealed = readSealedBlock(bytes, start, head, number);
  const records = sealed && decodeRecords(sealed.payload);
  return records === undefined ? undefined : { records, bytes: sealed?.bytes ?? 0 };
}

/** A checksum fits that no crash makes, but what it covers is not what we write: somebody else wrote it. */
export function isForgedBlock(bytes: Buffer, start: number, head: JournalHead, number: number): boolean {
  const sealed = readSealedBlock(bytes, start, head, number);
  return sealed !== undefined && decodeRecords(sealed.payload) === undefined;
}

function readSealedBlock(
  bytes: Buffer,
  start: number,
  head: JournalHead,
  number: number,
): { readonly payload: Buffer; readonly bytes: number } | undefined {
  const first = readFirstLine(bytes, start);
  if (first?.generation !== head.generation || first.number !== number) return undefined;
  const payloadStart = start + first.length;
  const payload = bytes.subarray(payloadStart, payloadStart + first.payloadBytes);
  if (payload.length !== first.payloadBytes) return undefined;
  if (checksum(blockSalt(head, number, payload.length), payload) !== first.sum) return undefined;
  return { payload, bytes: first.length + payload.length };
}

export interface BlockFirstLine {
  readonly generation: number;
  readonly number: number;
  readonly payloadBytes: number;
  readonly sum: string;
  readonly length: number;
}

export function readFirstLine(bytes: Buffer, start: number): BlockFirstLine | undefined {
  const window = bytes.subarray(start, start + FIRST_LINE_LIMIT);
  const newline = window.indexOf(NEWLINE);
  const match = newline === -1 ? null : FIRST_LINE.exec(window.toString("latin1", 0, newline));
  if (match === null) return undefined;
  const [, generation, number, payloadBytes, sum = ""] = match;
  return {
    generation: Number(generation),
    number: Number(number),
    payloadBytes: Number(payloadBytes),
    sum,
    length: newline + 1,
  };
}

export function blockSalt({ instance, generation }: JournalHead, number: number, bytes: number): string {
  return `${instance}/${generation}/${number}/${bytes}`;
}

/** `undefined`: these are no records. */
export function decodeRecords(payload: Buffer): readonly JournalRecord[] | undefined {
  const records: JournalRecord[] = [];
  for (let at = 0; at < payload.length;) {
    const newline = payload.indexOf(NEWLINE, at);
    const place = newline === -1 ? undefined : tryParseJson(payload.toString("utf8", at, newline));
    if (!isJsonObject(place)) return undefined;
    const { session, file, name, offset, bytes, after } = place;
    if (!isId(session) || !isFileName(name)) return undefined;
    if (after !== undefined && !isSum(after)) return undefined;
    if (!isCount(file) || !isCount(offset) || !isCount(bytes)) return undefined;
    const start = newline + 1;
    if (start + bytes > payload.length) return undefined;
    const position = { session, file, name, offset, ...(after === undefined ? {} : { after }) };
    records.push({ ...position, bytes: payload.subarray(start, start + bytes) });
    at = start + bytes;
  }
  return records;
}
