/** Lines to entries. Nothing here throws: a line is good, or it is bad for a stated reason. */

import { CHECKPOINT_START, decodeCheckpoint, type Checkpoint } from "./checkpoint.ts";
import type { LineReason } from "./damage-reason.ts";
import type { BatchPosition, Body, Entry, RewoundView } from "./entry.ts";
import { MAX_SEQ } from "./format.ts";
import { decodeHeader, HEADER_START, type Header } from "./header.ts";
import { isCount, isRange } from "./is-count.ts";
import { isJsonObject, tryParseJson } from "./json.ts";
import { decodeMessage } from "./decode-message.ts";
import { LOST_START } from "./encode.ts";
import type { LineInChunk } from "./scan-visitor.ts";
import { checkBytes, checkLine, decodeText, hasSeal, type EncodedText } from "./line-checksum.ts";

export type DecodedLine =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  /** Damaged records were taken out by a repair: these seqs are not there, and nobody need look for them. */
  | { readonly kind: "lost"; readonly first: number; readonly last: number }
  /** That of a session file, with its own checksum. It belongs at the beginning, and nowhere else. */
  | { readonly kind: "header"; readonly header: Header }
  /** A good line that is no record, such as one that a newer version puts between records. */
  | { readonly kind: "aside" }
  | { readonly kind: "bad"; readonly reason: LineReason };

export type GoodLine = Exclude<DecodedLine, { readonly kind: "bad" }>;

// The fields before the body come in this order and nothing else; the id is a JSON string.
export const START: RegExp =
  /^\{"seq":([1-9][0-9]{0,15}),"at":"([^"\\]+)"(?:,"batch":\[([0-9]+),([0-9]+)\])?(?:,"id":("(?:[^"\\]|\\.)*"))?,"(message|op)":/;

/** The record of an ordinary message. `undefined`: anything else, for `decodeLine` to tell. */
export function decodeOrdinaryLine(
  { chunk, start, end, isAscii }: LineInChunk,
  sessionId: string,
): Entry | undefined {
  const checked = checkBytes(chunk, start, end, sessionId, isAscii);
  return checked === undefined ? undefined : decodeMessage(checked);
}

/** `line` is without its newline. */
export function decodeLine(line: Buffer, sessionId: string): DecodedLine {
  const text = checkLine(line, sessionId);
  if (text === undefined) return decodeStrayHeader(line) ?? { kind: "bad", reason: reasonForBadLine(line) };
  return decodeChecked(text);
}

/** A line whose checksum is right. `undefined`: it is no record. */
export function decodeRecord(checked: EncodedText): Entry | undefined {
  const decoded = decodeChecked(decodeText(checked));
  return decoded.kind === "entry" ? decoded.entry : undefined;
}

/** `text`: of a line whose checksum is right, without that. */
function decodeChecked(text: string): GoodLine {
  const start = START.exec(text);
  if (start === null) return decodeBetween(text);
  if (Number(start[1]) > MAX_SEQ) return { kind: "aside" };
  const [matched, seq, at, batchIndex, batchSize, id, field] = start;
  const body: Body =
    field === "message" ? { op: "message", json: text.slice(matched.length) } : decodeOperation(`${text}}`);
  return {
    kind: "entry",
    entry: {
      seq: Number(seq),
      at: at ?? "",
      ...idField(id),
      ...(batchSize === undefined ? {} : { batch: batchPosition(batchIndex, batchSize) }),
      body,
    },
  };
}

function decodeStrayHeader(line: Buffer): DecodedLine | undefined {
  if (!line.subarray(0, HEADER_START.length).equals(HEADER_START)) return undefined;
  const decoded = decodeHeader(line);
  return decoded.kind === "header" ? decoded : undefined;
}

/** What stands between records. */
function decodeBetween(text: string): GoodLine {
  if (text.startsWith(CHECKPOINT_START)) {
    const checkpoint = decodeCheckpoint(text);
    return checkpoint === undefined ? { kind: "aside" } : { kind: "checkpoint", checkpoint };
  }
  const lost = text.startsWith(LOST_START) ? tryParseJson(`${text}}`) : undefined;
  const range = isJsonObject(lost) ? lost["lost"] : undefined;
  return isRange(range) && range[0] <= range[1] && range[1] <= MAX_SEQ
    ? { kind: "lost", first: range[0], last: range[1] }
    : { kind: "aside" };
}

function idField(json: string | undefined): { readonly id?: string } {
  const id = json === undefined ? undefined : tryParseJson(json);
  return typeof id === "string" ? { id } : {};
}

export function batchPosition(index: string | undefined, size: string): BatchPosition {
  return { index: Number(index), size: Number(size) };
}

function reasonForBadLine(line: Buffer): LineReason {
  if (line.length === 0) return { code: "empty-line" };
  if (line.every((byte) => byte === 0)) return { code: "nul-bytes" };
  return { code: hasSeal(line) ? "checksum-mismatch" : "not-whole" };
}

function decodeOperation(json: string): Body {
  const value = tryParseJson(json);
  const { op } = isJsonObject(value) ? value : {};
  const decode =
    typeof op === "string" && Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op as KnownOperation] : undefined;
  return (isJsonObject(value) ? decode?.(value, json) : undefined) ?? { op: "unknown", json };
}

type KnownOperation = Exclude<Body["op"], "message" | "unknown">;

/** `undefined`: not as this version writes it. A new kind of record without its decoder does not compile. */
const OPERATIONS: Readonly<
  Record<KnownOperation, (fields: Readonly<Record<string, unknown>>, json: string) => Body | undefined>
> = {
  summary: ({ summary }) => (typeof summary === "string" ? { op: "summary", summary } : undefined),
  truncate: ({ keepFrom, count }) =>
    isCount(keepFrom) && isCount(count) ? { op: "truncate", keepFrom, count } : undefined,
  compact: ({ summary, keepFrom, count }) =>
    typeof summary === "string" && isCount(keepFrom) && isCount(count)
      ? { op: "compact", summary, keepFrom, count }
      : undefined,
  rewind: ({ to, count, view }) => {
    if (!isCount(to) || !isCount(count)) return undefined;
    if (view === undefined) return { op: "rewind", to, count };
    const rewound = decodeView(view);
    return rewound === undefined ? undefined : { op: "rewind", to, count, view: rewound };
  },
  reset: ({ summary }) => {
    if (summary === undefined) return { op: "reset" };
    return typeof summary === "string" ? { op: "reset", summary } : undefined;
  },
  meta: ({ title, tags }) => {
    if (title !== undefined && typeof title !== "string") return undefined;
    if (tags !== undefined && !isStrings(tags)) return undefined;
    return { op: "meta", ...(title === undefined ? {} : { title }), ...(tags === undefined ? {} : { tags }) };
  },
  note: ({ kind }, json) => {
    const data = typeof kind === "string" ? noteData(json, kind) : undefined;
    return typeof kind === "string" && data !== undefined ? { op: "note", kind, json: data } : undefined;
  },
};

/** The data of a note exactly as written: it follows the kind and ends with the line. `undefined`: not so written. */
function noteData(json: string, kind: string): string | undefined {
  const before = `"op":"note","kind":${JSON.stringify(kind)},"data":`;
  const at = json.indexOf(before);
  return at === -1 ? undefined : json.slice(at + before.length, -1);
}

function decodeView(value: unknown): RewoundView | undefined {
  if (!isJsonObject(value)) return undefined;
  const { keepFrom, kept, summary } = value;
  if (!isCount(keepFrom) || typeof summary !== "string" || !Array.isArray(kept) || !kept.every(isRange))
    return undefined;
  return { keepFrom, kept, summary };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
