/**
 * Whose file it is, also if its first line is damaged. A header is believed only when it is proven: by its checksum, as it
 * stands or with one bit turned back, or by the name of the file and the salt of its records. A guess would give one
 * person's words to another.
 */

import type { ByteSource } from "../../session/byte-source.ts";
import { readHeaderLine, type HeaderLine } from "../../session/header-line.ts";
import { checksum } from "../../format/checksum.ts";
import type { HeaderReason } from "../../format/damage-reason.ts";
import { FORMAT_VERSION } from "../../format/format.ts";
import { decodeHeader, firstHeader, identityIn, type Header } from "../../format/header.ts";
import { isJsonObject, tryParseJson } from "../../format/json.ts";
import { fileNameOf } from "../../format/key.ts";
import { CHECKSUM_FIELD_BYTES, checksumField } from "../../format/line-checksum.ts";
import { isId } from "../../format/session-id.ts";
import { salvageLine } from "../../format/salvage-lines.ts";
import { piecesOf } from "../../format/split-glued.ts";
import { findFlippedBit, type FlippedBit } from "../../format/flipped-bit.ts";
import type { SessionFile } from "../files/find-session-file.ts";
import { putAwayName } from "../../format/layout.ts";
import { findWrittenHeader, hasRecordOf } from "./written-header.ts";

export type FoundHeader =
  | {
      readonly kind: "header";
      readonly header: Header;
      /** Where the lines begin that are scanned: a header that is whole is found among them. */
      readonly linesFrom: number;
      /** This header is not the first line: why the file is not opened. */
      readonly refused?: HeaderReason;
    }
  | { readonly kind: "too-new"; readonly version: number }
  /** `bytes`: of the line that should be one. */
  | { readonly kind: "bad"; readonly reason: HeaderReason; readonly bytes: number };

/** Where the second half of a header is looked for that a bit has cut in two. */
const MAX_SPLIT_BYTES = 8 * 1024;

/** `isChainRight`: the sealed files are there, whole, as this header says; asked only if nothing better proves it. */
export async function findHeader(
  source: ByteSource,
  file: Pick<SessionFile, "name" | "status">,
  isChainRight: (header: Header) => Promise<boolean>,
): Promise<FoundHeader> {
  const line = await readHeaderLine(source);
  if (line.bytes === 0) return { kind: "bad", reason: { code: "empty-file" }, bytes: 0 };
  const decoded = decodeHeader(line.content);
  const flipped =
    decoded.kind === "header"
      ? undefined
      : (flippedHeader(line.content, line.bytes, file) ?? (await splitHeader(source, line, file)));
  if (flipped !== undefined) return { kind: "header", ...flipped };
  // Of a newer version; or a bit of its number was turned, and it has been found above.
  if (decoded.kind === "too-new") return decoded;
  const fits = (header: Header): boolean => nameOf(header, file.status) === file.name;
  const written = await findWrittenHeader(source, fits);
  if (decoded.kind === "bad") {
    const { reason } = decoded;
    if (written !== undefined) return { kind: "header", header: written, linesFrom: 0, refused: reason };
    const proven = await provenHeader(source, line, file, isChainRight);
    return proven === undefined ? { kind: "bad", reason, bytes: line.bytes } : { kind: "header", ...proven };
  }
  const { header } = decoded;
  if (written === undefined || isSame(header, written) || !fits(header))
    return { kind: "header", header: written ?? header, linesFrom: line.bytes };
  const refused = { code: "second-header" } as const;
  return { kind: "header", header: written, linesFrom: line.bytes, refused };
}

function isSame(one: Header, other: Header): boolean {
  return one.id === other.id && one.file === other.file;
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
  headerLine: HeaderLine,
  { name, status }: NamedFile,
  isChainRight: (header: Header) => Promise<boolean>,
): Promise<MendedHeader | undefined> {
  const line = { ...headerLine, offset: 0 };
  const header = piecesOf(line)
    .map(({ content }) => readLeniently(content ?? NOTHING))
    .find((each) => each !== undefined && nameOf(each, status) === name);
  if (header === undefined) return undefined;
  if (!(await hasRecordOf(source, header.id)) || !(await isChainRight(header))) return undefined;
  const isGlued = salvageLine(line, header.id).length > 1;
  return { header, linesFrom: isGlued ? 0 : line.bytes };
}

const NOTHING = Buffer.alloc(0);

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
