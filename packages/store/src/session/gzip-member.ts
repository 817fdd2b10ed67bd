/**
 * One gzip member (RFC 1952) of a compressed segment. Pure. Its extra field "LH" holds two lengths, of the whole member
 * and of what is in it, so that a reader hops from header to header; zcat and gunzip pass over the field. Nothing here
 * trusts a length that it has read.
 *
 *     1f 8b 08 04 | time 0 (4) | 00 ff | 0c 00 | "LH" | 08 00 | member bytes (4) | content bytes (4)
 *     deflate data | CRC-32 (4) | content bytes (4)                                  all numbers little-endian
 */

import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { MAX_LINE_BYTES } from "../format/format.ts";

/** Every header of ours begins with these; they are what is looked for behind damage. */
export const MEMBER_SIGNATURE: Buffer = Buffer.from("1f8b08040000000000ff0c004c480800", "hex");

/** Of the signature and the two lengths. */
export const MEMBER_HEADER_BYTES: number = MEMBER_SIGNATURE.length + 8;

const TRAILER_BYTES = 8;

/** What a member holds at most: one line of the longest kind, with its newline. */
export const MAX_CONTENT_BYTES: number = MAX_LINE_BYTES + 1;

/** Deflate lets nothing grow by more than a few bytes in each block; an eighth is far above that. */
export const MAX_MEMBER_BYTES: number =
  MEMBER_HEADER_BYTES + TRAILER_BYTES + MAX_CONTENT_BYTES + Math.ceil(MAX_CONTENT_BYTES / 8);

/** Deflate makes nothing shorter than by this factor: a header that says otherwise is damaged, whatever room it asks for. */
const MAX_RATIO = 1032;

export interface MemberHeader {
  /** Of the whole member, with header and trailer. */
  readonly memberBytes: number;
  /** Of what is in it, uncompressed. */
  readonly bytes: number;
  readonly headerBytes: number;
}

/** The caller cuts: more than MAX_CONTENT_BYTES is a mistake of ours. */
export function encodeMember(bytes: Buffer): Buffer {
  if (bytes.length > MAX_CONTENT_BYTES) throw new RangeError(`${bytes.length} bytes in one gzip member`);
  const data = deflateRawSync(bytes);
  const member = Buffer.alloc(MEMBER_HEADER_BYTES + data.length + TRAILER_BYTES);
  MEMBER_SIGNATURE.copy(member);
  member.writeUInt32LE(member.length, MEMBER_SIGNATURE.length);
  member.writeUInt32LE(bytes.length, MEMBER_SIGNATURE.length + 4);
  data.copy(member, MEMBER_HEADER_BYTES);
  member.writeUInt32LE(crc32(bytes), member.length - TRAILER_BYTES);
  member.writeUInt32LE(bytes.length, member.length - 4);
  return member;
}

/** `undefined`: no header of ours, or one with lengths that no member of ours has. */
export function readMemberHeader(bytes: Buffer): MemberHeader | undefined {
  if (bytes.length < MEMBER_HEADER_BYTES) return undefined;
  if (!bytes.subarray(0, MEMBER_SIGNATURE.length).equals(MEMBER_SIGNATURE)) return undefined;
  const memberBytes = bytes.readUInt32LE(MEMBER_SIGNATURE.length);
  const contentBytes = bytes.readUInt32LE(MEMBER_SIGNATURE.length + 4);
  if (memberBytes <= MEMBER_HEADER_BYTES + TRAILER_BYTES || memberBytes > MAX_MEMBER_BYTES) return undefined;
  if (contentBytes > Math.min(MAX_CONTENT_BYTES, MAX_RATIO * memberBytes)) return undefined;
  return { memberBytes, bytes: contentBytes, headerBytes: MEMBER_HEADER_BYTES };
}

/** Exactly one member. `undefined`: damaged, wherever. */
export function decodeMember(member: Buffer): Buffer | undefined {
  const header = readMemberHeader(member);
  if (header?.memberBytes !== member.length) return undefined;
  const content = decodeMemberBody(member);
  return content?.length === header.bytes ? content : undefined;
}

/** What a member holds, by its data and trailer alone: for one whose header is damaged but whose ends are known. */
export function decodeMemberBody(member: Buffer): Buffer | undefined {
  if (member.length <= MEMBER_HEADER_BYTES + TRAILER_BYTES) return undefined;
  const bytes = member.readUInt32LE(member.length - 4);
  if (bytes > MAX_CONTENT_BYTES) return undefined;
  const content = inflate(member.subarray(MEMBER_HEADER_BYTES, -TRAILER_BYTES), bytes);
  if (content?.length !== bytes) return undefined;
  return crc32(content) === member.readUInt32LE(member.length - TRAILER_BYTES) ? content : undefined;
}

/**
 * The beginning of what a cut-off member held, as far as it can be told. Its checksum is gone: what comes back must be
 * records with checksums of their own.
 */
export function decodeMemberStart(member: Buffer, bytes: number): Buffer {
  const data = member.subarray(MEMBER_HEADER_BYTES);
  return inflate(data, Math.min(bytes, MAX_CONTENT_BYTES), constants.Z_SYNC_FLUSH) ?? Buffer.alloc(0);
}

function inflate(data: Buffer, maximum: number, finishFlush = constants.Z_FINISH): Buffer | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, maximum), finishFlush });
  } catch {
    // Whatever zlib dislikes about the bytes, they are not what we wrote.
    return undefined;
  }
}
