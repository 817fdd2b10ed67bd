/** Lines to entries and headers. Nothing here throws: a line is good, or it is bad for a stated reason. */

import type { Header } from "./encode.ts";
import type { BatchPosition, Body, Entry, RewoundView, SeqRange } from "./entry.ts";
import { FORMAT_VERSION } from "./format.ts";
import { isJsonObject, tryParseJson } from "./json.ts";
import { hasSeal, openSealedLine } from "./seal.ts";

export type DecodedLine =
  | { readonly kind: "entry"; readonly entry: Entry }
  /** A good line that is no record, such as one that a newer version puts between records. */
  | { readonly kind: "aside" }
  | { readonly kind: "bad"; readonly reason: string };

export type DecodedHeader =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "too-new"; readonly version: number }
  | { readonly kind: "bad"; readonly reason: string };

// The fields before the body come in this order and nothing else; the id is a JSON string.
const START =
  /^\{"seq":([1-9][0-9]{0,15}),"at":"([^"\\]+)"(?:,"batch":\[([0-9]+),([0-9]+)\])?(?:,"id":("(?:[^"\\]|\\.)*"))?,"(message|op)":/;

export function decodeHeader(line: Buffer): DecodedHeader {
  const value = tryParseJson(line.toString("utf8"));
  const version = isJsonObject(value) ? value["longhand"] : undefined;
  // Before the checksum: a newer format may have another one.
  if (typeof version === "number" && version > FORMAT_VERSION) return { kind: "too-new", version };
  if (!isJsonObject(value) || version === undefined) return { kind: "bad", reason: "no header line" };
  if (openSealedLine(line, "") === undefined) {
    return { kind: "bad", reason: "the header's checksum does not match" };
  }
  const { key, id, at } = value;
  if (typeof key !== "string" || typeof id !== "string" || typeof at !== "string") {
    return { kind: "bad", reason: "the header lacks its key, id or time" };
  }
  return { kind: "header", header: { key, id, at } };
}

/** `line` is without its newline. */
export function decodeLine(line: Buffer, sessionId: string): DecodedLine {
  const text = openSealedLine(line, sessionId);
  if (text === undefined) return { kind: "bad", reason: reasonForBadLine(line) };
  const start = START.exec(text);
  if (start === null) return { kind: "aside" };
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

function idField(json: string | undefined): { readonly id?: string } {
  const id = json === undefined ? undefined : tryParseJson(json);
  return typeof id === "string" ? { id } : {};
}

function batchPosition(index: string | undefined, size: string): BatchPosition {
  return { index: Number(index), size: Number(size) };
}

function reasonForBadLine(line: Buffer): string {
  if (line.length === 0) return "an empty line";
  if (line.every((byte) => byte === 0)) return "filled with NUL bytes";
  return hasSeal(line) ? "checksum mismatch" : "not a whole record";
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

function isRange(value: unknown): value is SeqRange {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
