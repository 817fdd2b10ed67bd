/**
 * Where the members of a compressed segment lie: one hop from header to header, nothing decompressed while they fit.
 * Where they do not, what can be found again is: a member with a damaged header by its own checksum, and behind a gap
 * the next member that fits.
 */

import type { OpenFile } from "../host/host.ts";
import {
  decodeMember,
  decodeMemberBody,
  decodeMemberStart,
  MAX_MEMBER_BYTES,
  MEMBER_HEADER_BYTES,
  MEMBER_SIGNATURE,
  readMemberHeader,
  type MemberHeader,
} from "./gzip-member.ts";

export type GzipPart =
  /** By its header. "mended": by its data, since its header is damaged. "cut": the file ends in it. */
  | {
      readonly kind: "member" | "mended" | "cut";
      readonly offset: number;
      readonly length: number;
      readonly bytes: number;
    }
  /** Nothing readable; how much it held is not known. */
  | { readonly kind: "gap"; readonly offset: number; readonly length: number };

const SCAN_BYTES = 256 * 1024;

/** Offsets and lengths are those of the compressed file, without holes between the parts. */
export async function indexMembers(file: OpenFile, size: number): Promise<GzipPart[]> {
  const parts: GzipPart[] = [];
  for (let offset = 0; offset < size;) {
    const header = await headerAt(file, offset);
    const part =
      header !== undefined && (await isFollowed(file, offset, header, size))
        ? ({ kind: "member", offset, length: header.memberBytes, bytes: header.bytes } as const)
        : await examine(file, offset, header, size);
    parts.push(part);
    offset += part.length;
  }
  return parts;
}

async function headerAt(file: OpenFile, offset: number): Promise<MemberHeader | undefined> {
  return readMemberHeader(await readPart(file, offset, MEMBER_HEADER_BYTES));
}

/** Its two lengths agree, and behind it is another header or the end: it is where and what it says. */
async function isFollowed(
  file: OpenFile,
  offset: number,
  header: MemberHeader,
  size: number,
): Promise<boolean> {
  const end = offset + header.memberBytes;
  const seam = await readPart(file, end - 4, 4 + MEMBER_HEADER_BYTES);
  if (seam.length < 4 || seam.readUInt32LE(0) !== header.bytes) return false;
  return end === size || readMemberHeader(seam.subarray(4)) !== undefined;
}

/** A place where the chain of headers breaks: is it this member's header, what is in it, or only the next one's? */
async function examine(
  file: OpenFile,
  offset: number,
  header: MemberHeader | undefined,
  size: number,
): Promise<GzipPart> {
  if (
    header !== undefined &&
    decodeMember(await readPart(file, offset, Math.min(header.memberBytes, size - offset))) !== undefined
  )
    return { kind: "member", offset, length: header.memberBytes, bytes: header.bytes };
  const next = await findMember(file, offset + 1, size);
  const length = next - offset;
  const content =
    length > MAX_MEMBER_BYTES ? undefined : decodeMemberBody(await readPart(file, offset, length));
  if (content !== undefined) return { kind: "mended", offset, length, bytes: content.length };
  if (header !== undefined && next === size && offset + header.memberBytes > size)
    return { kind: "cut", offset, length, bytes: header.bytes };
  return { kind: "gap", offset, length };
}

/** The next place from `from` on where a member begins that fits; `size` if there is none. */
async function findMember(file: OpenFile, from: number, size: number): Promise<number> {
  for (let position = from; position < size;) {
    const chunk = await readPart(file, position, SCAN_BYTES);
    const found = chunk.indexOf(MEMBER_SIGNATURE);
    if (found !== -1) {
      const offset = position + found;
      if (await fits(file, offset, size)) return offset;
      position = offset + 1;
    } else if (position + chunk.length >= size || chunk.length < MEMBER_SIGNATURE.length) {
      return size;
    } else {
      position += chunk.length - MEMBER_SIGNATURE.length + 1;
    }
  }
  return size;
}

/** The signature alone proves nothing: somebody's words may spell it. */
async function fits(file: OpenFile, offset: number, size: number): Promise<boolean> {
  const header = await headerAt(file, offset);
  if (header === undefined) return false;
  if (await isFollowed(file, offset, header, size)) return true;
  const member = await readPart(file, offset, Math.min(header.memberBytes, size - offset));
  const isCut = offset + header.memberBytes > size;
  return isCut ? decodeMemberStart(member, header.bytes).length > 0 : decodeMember(member) !== undefined;
}

async function readPart(file: OpenFile, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, await file.read(bytes, offset));
}
