/**
 * Whose file it is, also if its first line is damaged. A header is believed only when it is proven: by its checksum, as it
 * stands or with one bit turned back, or by the name of the file and the salt of its records. A guess would give one
 * person's words to another.
 */

import type { ByteSource } from "../../session/byte-source.ts";
import { readHeaderLine, type HeaderLine } from "../../session/header-line.ts";
import { readLines } from "../../session/read-lines.ts";
import { checksum } from "../../format/checksum.ts";
import type { HeaderReason } from "../../format/damage-reason.ts";
import { decodeLine } from "../../format/decode.ts";
import { FORMAT_VERSION } from "../../format/format.ts";
import { decodeHeader, firstHeader, identityIn, type Header } from "../../format/header.ts";
import { isJsonObject, tryParseJson } from "../../format/json.ts";
import { fileNameOf } from "../../format/key.ts";
import { CHECKSUM_FIELD_BYTES, checksumField } from "../../format/line-checksum.ts";
import { isId } from "../../format/session-id.ts";
import { findFlippedBit, type FlippedBit } from "../../format/flipped-bit.ts";
import type { SessionFile } from "../files/find-session-file.ts";
import { putAwayName } from "../../format/layout.ts";
import { findStrayHeader } from "./stray-header.ts";

export type FoundHeader =
  | {
      readonly kind: "header";
      readonly header: Header;
      /** Where the lines behind it begin. */
      readonly linesFrom: number;
      /** It stands there as it was written. */
      readonly isWhole: boolean;
    }
  | { readonly kind: "too-new"; readonly version: number }
  /** `bytes`: of the line that should be one. */
  | { readonly kind: "bad"; readonly reason: HeaderReason; readonly bytes: number };

/** Where the second half of a header is looked for that a bit has cut in two. */
const MAX_SPLIT_BYTES = 8 * 1024;
/** How far a record is looked for that proves the id. */
const MAX_PROOF_BYTES = 8 * 1024 * 1024;

/** `isChainRight`: the sealed files are there, whole, as this header says; asked only if nothing better proves it. */
export async function findHeader(
  source: ByteSource,
  file: Pick<SessionFile, "name" | "status">,
  isChainRight: (header: Header) => Promise<boolean>,
): Promise<FoundHeader> {
  const line = await readHeaderLine(source);
  if (line.bytes === 0) return { kind: "bad", reason: { code: "empty-file" }, bytes: 0 };
  const decoded = decodeHeader(line.content);
  if (decoded.kind === "too-new") {
    // Of a newer version, or a bit of its number was turned.
    const flipped = flippedHeader(line.content, line.bytes, file);
    return flipped === undefined ? decoded : { kind: "header", ...flipped, isWhole: false };
  }
  const fits = (header: Header): boolean => nameOf(header, file.status) === file.name;
  if (decoded.kind === "header") {
    const { header } = decoded;
    const written = fits(header)
      ? await headerBehind(source, line.bytes, header, fits)
      : (await findStrayHeader(source, line.bytes, fits))?.header;
    const isWhole = written === undefined;
    return { kind: "header", header: written ?? header, linesFrom: line.bytes, isWhole };
  }
  const mended =
    gluedHeader(line, file) ??
    flippedHeader(line.content, line.bytes, file) ??
    (await splitHeader(source, line, file)) ??
    (await movedHeader(source, fits)) ??
    (await provenHeader(source, line, file, isChainRight));
  if (mended === undefined) return { kind: "bad", reason: decoded.reason, bytes: line.bytes };
  return { kind: "header", ...mended, isWhole: false };
}

/** The next line is a header, too, and the one with which the lines behind it were written. */
async function headerBehind(
  source: ByteSource,
  offset: number,
  first: Header,
  fits: (header: Header) => boolean,
): Promise<Header | undefined> {
  const second = await findStrayHeader(source, offset, fits);
  if (second?.offset !== offset) return undefined;
  const { header } = second;
  if (header.id === first.id) return header.file > first.file ? header : undefined;
  const isFirst = await hasRecordOf(source, offset, first.id);
  return !isFirst && (await hasRecordOf(source, offset, header.id)) ? header : undefined;
}

/** A record that was put before it is scanned like the others. */
async function movedHeader(
  source: ByteSource,
  fits: (header: Header) => boolean,
): Promise<MendedHeader | undefined> {
  const found = await findStrayHeader(source, 0, fits);
  return found === undefined ? undefined : { header: found.header, linesFrom: 0 };
}

/** What the session's file is called in its place. */
export function nameOf({ key, id }: Pick<Header, "key" | "id">, status: SessionFile["status"]): string {
  const active = fileNameOf(key);
  return status === "active" ? active : putAwayName(active, id);
}

interface MendedHeader {
  readonly header: Header;
  readonly linesFrom: number;
}

type NamedFile = Pick<SessionFile, "name" | "status">;

function readIfFits(content: Buffer, { name, status }: NamedFile): Header | undefined {
  const decoded = decodeHeader(content);
  return decoded.kind === "header" && nameOf(decoded.header, status) === name ? decoded.header : undefined;
}

const SEAL = /,"crc":"([0-9a-f]{8})"\}/;
/** An editor or a transfer may have left it before the newline. */
const CARRIAGE_RETURN = 0x0d;

/** Whole, but the newline behind it was hit: the first record is on the same line. */
function gluedHeader({ content, bytes, terminated }: HeaderLine, file: NamedFile): MendedHeader | undefined {
  const seal = SEAL.exec(content.toString("latin1"));
  if (seal === null) return undefined;
  const end = seal.index + seal[0].length;
  const header = readIfFits(content.subarray(0, end), file);
  const markBytes = bytes - content.length - (terminated ? 1 : 0);
  return header === undefined ? undefined : { header, linesFrom: markBytes + end };
}

/** One bit was turned: the checksum says which, unless it is one of its own. */
function flippedHeader(content: Buffer, linesFrom: number, file: NamedFile): MendedHeader | undefined {
  const end = content.at(-1) === CARRIAGE_RETURN ? content.length - 1 : content.length;
  const covered = Math.max(0, end - CHECKSUM_FIELD_BYTES);
  const sum = checksum("", content.subarray(0, covered));
  const seal = content.subarray(covered, end);
  for (const suspect of [flippedBitOfCovered(seal, covered, sum), flippedBitOfSeal(seal, covered, sum)]) {
    if (suspect === undefined) continue;
    const flipped = Buffer.from(content);
    flipped[suspect.index] = (flipped[suspect.index] ?? 0) ^ suspect.mask;
    const header = readIfFits(flipped, file);
    if (header !== undefined) return { header, linesFrom };
  }
  return undefined;
}

function flippedBitOfCovered(seal: Buffer, covered: number, sum: string): FlippedBit | undefined {
  const stated = SEAL.exec(seal.toString("latin1"))?.[1];
  return stated === undefined ? undefined : findFlippedBit(covered, sum, stated);
}

/** What the seal must say is known from what it covers. */
function flippedBitOfSeal(seal: Buffer, covered: number, sum: string): FlippedBit | undefined {
  let suspect: FlippedBit | undefined;
  for (const [at, expected] of Buffer.from(checksumField(sum)).entries()) {
    const mask = (seal[at] ?? 0) ^ expected;
    if (mask === 0) continue;
    const isOneBit = (mask & (mask - 1)) === 0;
    if (!isOneBit || suspect !== undefined) return undefined;
    suspect = { index: covered + at, mask };
  }
  return suspect;
}

/** The bit that was turned has made a newline, and two lines of one. */
async function splitHeader(
  source: ByteSource,
  { bytes, terminated }: HeaderLine,
  file: NamedFile,
): Promise<MendedHeader | undefined> {
  if (!terminated) return undefined;
  const start = Buffer.alloc(Math.min(MAX_SPLIT_BYTES, source.size));
  await source.read(start, 0);
  const end = start.indexOf("\n", bytes);
  return end === -1 ? undefined : flippedHeader(start.subarray(0, end), end + 1, file);
}

/** More than a bit: what can be read of it must be confirmed by the file's name and by its records. */
async function provenHeader(
  source: ByteSource,
  { content, bytes }: HeaderLine,
  { name, status }: NamedFile,
  isChainRight: (header: Header) => Promise<boolean>,
): Promise<MendedHeader | undefined> {
  const header = readLeniently(content);
  if (header === undefined || nameOf(header, status) !== name) return undefined;
  if (!(await hasRecordOf(source, bytes, header.id)) || !(await isChainRight(header))) return undefined;
  return { header, linesFrom: bytes };
}

/** As they are written, one behind the other: of a line put together from two, each half may be whole. */
const IDENTITY = /"key":("(?:[^"\\]|\\.)*"),"id":"([^"\\]*)","at":"([^"\\]*)"/;

function readLeniently(content: Buffer): Header | undefined {
  const text = content.toString("utf8");
  const [, keyText = "", id = "", at = ""] = IDENTITY.exec(text) ?? [];
  const value = tryParseJson(text);
  const key = tryParseJson(keyText);
  if (isJsonObject(value) && id !== "") {
    const identity = identityIn(value);
    // Put together from two headers, it may be JSON and have each field twice: then it is nobody's.
    const isOne = identity?.key === key && identity?.id === id && identity.at === at;
    return isOne ? { version: FORMAT_VERSION, ...identity } : undefined;
  }
  if (typeof key !== "string" || !isId(id) || Number.isNaN(Date.parse(at))) return undefined;
  // A chain that is not readable as a whole is not read in parts.
  return firstHeader({ key, id, at });
}

async function hasRecordOf(source: ByteSource, from: number, id: string): Promise<boolean> {
  for await (const lines of readLines(source, from, Math.min(source.size, from + MAX_PROOF_BYTES))) {
    for (const { content } of lines) {
      if (content !== undefined && decodeLine(content, id).kind === "entry") return true;
    }
  }
  return false;
}
