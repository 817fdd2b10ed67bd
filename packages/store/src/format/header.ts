/**
 * The first line of a session file: whose it is, and the chain of the sealed files before it. The chain alone says what
 * belongs to a session; a file that no chain names is never read.
 */

import type { HeaderReason } from "./damage-reason.ts";
import { isSum } from "./checksum.ts";
import { FORMAT_VERSION, MAX_FILE_NUMBER } from "./format.ts";
import { isCount } from "./is-count.ts";
import { isJsonObject, tryParseJson } from "./json.ts";
import { isKey } from "./key.ts";
import { checkLine, withChecksum } from "./line-checksum.ts";
import { isId, type Id } from "./session-id.ts";

/** How a header line begins. */
export const HEADER_START: Buffer = Buffer.from('{"longhand":');

export interface Header {
  /** Of the format. Higher than ours: the file may be read as far as we understand it, never written. */
  readonly version: number;
  readonly key: string;
  readonly id: Id;
  /** When the session was created. */
  readonly at: string;
  /** The number of this file: higher than that of every file of the session before it. */
  readonly file: number;
  /** Oldest first. */
  readonly chain: readonly ChainLink[];
}

/** A sealed file. What it holds never changes; behind `bytes` and `last` it may go on, but not for this session. */
export interface ChainLink {
  readonly file: number;
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** CRC-32 of those bytes, uncompressed. */
  readonly sum: string;
  /** The time of its last record: what "older than" means when a segment is dropped. */
  readonly until: string;
  /** The session in which its lines were written, if that is another: this one was forked from it. */
  readonly session?: Id;
  /** When its records were dropped; the file is gone. */
  readonly dropped?: string;
  /** It was sealed only so that a new header could say what was dropped; it had not grown long. */
  readonly early?: true;
}

export type DecodedHeader =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "too-new"; readonly version: number }
  | { readonly kind: "bad"; readonly reason: HeaderReason };

/** Of the first file of a session. */
export function firstHeader(identity: Pick<Header, "key" | "id" | "at">): Header {
  const { key, id, at } = identity;
  return { version: FORMAT_VERSION, key, id, at, file: 0, chain: [] };
}

/** The header is not salted: a reader learns the session's id from it. */
export function encodeHeader({ key, id, at, file, chain }: Header): Buffer {
  const later = file === 0 ? {} : { file, chain };
  return withChecksum(JSON.stringify({ longhand: FORMAT_VERSION, key, id, at, ...later }).slice(0, -1), "");
}

/** `line` is without its newline. */
export function decodeHeader(line: Buffer): DecodedHeader {
  if (lastDecoded !== undefined && lastDecoded.line.equals(line)) return lastDecoded.decoded;
  const decoded = decodeAnew(line);
  if (line.length <= MAX_KEPT_BYTES) lastDecoded = { line: Buffer.from(line), decoded };
  return decoded;
}

/** Whoever opens a session meets its header several times. */
let lastDecoded: { readonly line: Buffer; readonly decoded: DecodedHeader } | undefined;
const MAX_KEPT_BYTES = 4096;

function decodeAnew(line: Buffer): DecodedHeader {
  const value = tryParseJson(line.toString("utf8"));
  const version = isJsonObject(value) ? value["longhand"] : undefined;
  if (!isJsonObject(value) || typeof version !== "number")
    return { kind: "bad", reason: { code: "no-header" } };
  const isSealed = checkLine(line, "") !== undefined;
  const identity = isSealed ? identityIn(value) : undefined;
  // A newer format may seal its lines in another way; where it does not, what we understand of it can be read.
  if (identity === undefined && version > FORMAT_VERSION) return { kind: "too-new", version };
  if (!isSealed) return { kind: "bad", reason: { code: "header-checksum" } };
  if (identity === undefined) return { kind: "bad", reason: { code: "header-fields" } };
  return { kind: "header", header: { version, ...identity } };
}

/** What a header says, whether its checksum is right or not. `undefined`: something is missing, or no such thing. */
export function identityIn(value: Readonly<Record<string, unknown>>): Omit<Header, "version"> | undefined {
  const { key, id, at, file = 0, chain = [] } = value;
  if (!isKey(key) || !isId(id) || typeof at !== "string") return undefined;
  if (!isFileNumber(file) || !Array.isArray(chain)) return undefined;
  const links = chain.map(decodeLink);
  return links.every((link) => link !== undefined) ? { key, id, at, file, chain: links } : undefined;
}

function isFileNumber(value: unknown): value is number {
  return isCount(value) && value <= MAX_FILE_NUMBER;
}

function decodeLink(value: unknown): ChainLink | undefined {
  if (!isJsonObject(value)) return undefined;
  const { file, first, last, bytes, sum, until, session, dropped, early } = value;
  if (!isFileNumber(file) || !isCount(first) || !isCount(last) || !isCount(bytes)) return undefined;
  if (!isSum(sum) || typeof until !== "string") return undefined;
  if (session !== undefined && !isId(session)) return undefined;
  return {
    file,
    first,
    last,
    bytes,
    sum,
    until,
    ...(session === undefined ? {} : { session }),
    ...(typeof dropped === "string" ? { dropped } : {}),
    ...(early === true ? { early } : {}),
  };
}
