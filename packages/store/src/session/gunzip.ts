/**
 * What a gzip file of any program holds, as far as it can be told: somebody has compressed a session file and given it
 * its old name. Its checksums are not asked: what comes back must be records with checksums of their own. Pure.
 */

import { constants, inflateRawSync } from "node:zlib";

const FIXED_HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

export function isGzip(bytes: Buffer): boolean {
  return bytes.length >= 3 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** All members one after another, up to the first that is damaged. `undefined`: nothing, or more than `maximum`. */
export function gunzip(bytes: Buffer, maximum: number): Buffer | undefined {
  const contents: Buffer[] = [];
  let total = 0;
  for (let rest = bytes; isGzip(rest);) {
    const member = inflateMember(rest, maximum - total);
    if (member === undefined) break;
    contents.push(member.content);
    total += member.content.length;
    if (total > maximum) return undefined;
    rest = rest.subarray(member.bytes);
  }
  return total === 0 ? undefined : Buffer.concat(contents);
}

function inflateMember(bytes: Buffer, maximum: number): { content: Buffer; bytes: number } | undefined {
  const start = headerBytes(bytes);
  if (start === undefined) return undefined;
  try {
    // A cut-off member gives its beginning.
    const options = { maxOutputLength: maximum + 1, finishFlush: constants.Z_SYNC_FLUSH, info: true };
    const result = inflateRawSync(bytes.subarray(start), options) as unknown as InflateResult;
    return { content: result.buffer, bytes: start + result.engine.bytesWritten + TRAILER_BYTES };
  } catch {
    // Whatever zlib dislikes about the bytes, nothing of this member can be told.
    return undefined;
  }
}

/** What `info: true` makes of it; Node's types do not know. */
interface InflateResult {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function headerBytes(bytes: Buffer): number | undefined {
  const flags = bytes[3] ?? 0;
  let at = FIXED_HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) {
    if (bytes.length < at + 2) return undefined;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if ((flags & HAS_CHECKSUM) !== 0) at += 2;
  return at < bytes.length ? at : undefined;
}
