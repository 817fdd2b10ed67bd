/**
 * A reader of the files, written from docs/format.md alone: nothing of the store is imported, not even the checksum. If
 * this one and the store disagree, the page or the store is wrong.
 */

import { createHash } from "node:crypto";

// ----- the checksum -----

const CRC_TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(bytes: Uint8Array): string {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return ((value ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

const salted = (salt: string, bytes: Uint8Array): string => crc32(Buffer.concat([Buffer.from(salt), bytes]));

/** A line, of an object without its closing brace. */
export function sealed(open: string, salt: string): string {
  return `${open},"crc":"${salted(salt, Buffer.from(open))}"}\n`;
}

/** The object of a line whose checksum is right. */
function unsealed(line: Buffer, salt: string): Record<string, unknown> | undefined {
  const at = line.lastIndexOf(',"crc":');
  const sum = /^,"crc":"([0-9a-f]{8})"\}\r?$/.exec(at === -1 ? "" : line.toString("latin1", at))?.[1];
  if (sum === undefined || sum !== salted(salt, line.subarray(0, at))) return undefined;
  return JSON.parse(line.toString("utf8")) as Record<string, unknown>;
}

function* linesOf(bytes: Buffer): Iterable<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

// ----- file names -----

export function fileNameOf(key: string): string {
  const isPlain = /^[a-z0-9_][a-z0-9_-]{0,79}$/.test(key) && !/^(con|prn|aux|nul|(com|lpt)[0-9])$/.test(key);
  if (isPlain) return `${key}.jsonl`;
  const slug = key
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^-/, "_")
    .slice(0, 80);
  const hash = [...createHash("sha256").update(key, "utf8").digest().subarray(0, 16)];
  return `${slug}~${hash.map((byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31] ?? "").join("")}.jsonl`;
}

// ----- the session file -----

type Range = readonly [first: number, last: number];

export interface ReadSession {
  readonly header: {
    readonly longhand: unknown;
    readonly key: unknown;
    readonly id: unknown;
    readonly at: unknown;
  };
  readonly records: readonly Record<string, unknown>[];
  readonly messages: readonly unknown[];
  readonly count: number;
  readonly summary: string;
  readonly title: string | undefined;
  readonly tags: readonly string[];
  /** Lines with a newline and a wrong checksum. */
  readonly corrupt: number;
}

export function readSession(bytes: Buffer): ReadSession {
  const [first = Buffer.alloc(0), ...rest] = linesOf(bytes);
  const header = unsealed(first, "");
  if (header?.["longhand"] !== 1) throw new Error("no header of version 1");
  const { longhand, key, id, at } = header;
  const records: Record<string, unknown>[] = [];
  let corrupt = 0;
  for (const line of rest) {
    const record = unsealed(line, String(id));
    if (record === undefined) corrupt += 1;
    else if (line.subarray(0, 7).toString() === '{"seq":') records.push(record);
  }
  return { header: { longhand, key, id, at }, records, corrupt, ...foldRecords(withoutHalfBatch(records)) };
}

function withoutHalfBatch(records: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const [index, size] = (records.at(-1)?.["batch"] ?? [1, 1]) as Range;
  return index === size ? records : records.slice(0, records.length - index);
}

type View = Pick<ReadSession, "messages" | "count" | "summary" | "title" | "tags">;

function foldRecords(records: readonly Record<string, unknown>[]): View {
  let kept: Range[] = [[1, Infinity]];
  let keepFrom = 1;
  let count = 0;
  let summary = "";
  let title: string | undefined;
  let tags: string[] = [];
  for (const record of records) {
    const seq = record["seq"] as number;
    if (record["message"] !== undefined) count += 1;
    switch (record["op"]) {
      case "summary":
        summary = record["summary"] as string;
        break;
      case "truncate":
      case "compact":
        keepFrom = record["keepFrom"] as number;
        count = record["count"] as number;
        summary = (record["summary"] ?? summary) as string;
        break;
      case "rewind": {
        const to = record["to"] as number;
        const view = record["view"] as { keepFrom: number; kept: Range[]; summary: string } | undefined;
        kept = kept.filter(([from]) => from <= to).map(([from, last]) => [from, Math.min(last, to)]);
        if (view !== undefined) ({ kept, keepFrom, summary } = view);
        kept = [...kept, [seq + 1, Infinity]];
        count = record["count"] as number;
        break;
      }
      case "reset":
        kept = [[seq + 1, Infinity]];
        keepFrom = seq + 1;
        count = 0;
        summary = (record["summary"] ?? summary) as string;
        break;
      case "meta":
        title = (record["title"] ?? title) as string | undefined;
        tags = (record["tags"] ?? tags) as string[];
        break;
    }
  }
  const isLive = (seq: number): boolean =>
    seq >= keepFrom && kept.some(([from, last]) => seq >= from && seq <= last);
  const messages = records
    .filter((record) => record["message"] !== undefined && isLive(record["seq"] as number))
    .map((record) => record["message"]);
  return { messages, count, summary, title, tags };
}

// ----- the journal -----

const COPY_BYTES = 4096;

export interface Place {
  readonly session: string;
  readonly file: number;
  readonly name: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

export function readJournal(bytes: Buffer): Place[] {
  const heads = [0, COPY_BYTES].flatMap((start) => {
    const page = bytes.subarray(start, start + COPY_BYTES);
    const head = unsealed(page.subarray(0, Math.max(0, page.indexOf(0x0a))), "journal");
    return head?.["journal"] === 1 ? [head as { instance: string; generation: number }] : [];
  });
  const head = heads.sort((one, other) => other.generation - one.generation)[0];
  if (head === undefined) throw new Error("neither copy of the head is readable");
  const places: Place[] = [];
  let at = 2 * COPY_BYTES;
  for (let number = 1; ; number++) {
    const newline = bytes.indexOf(0x0a, at);
    const first = tryParse(bytes.toString("utf8", at, Math.max(at, newline)));
    if (first?.["generation"] !== head.generation || first["block"] !== number) return places;
    const length = first["bytes"] as number;
    const payload = bytes.subarray(newline + 1, newline + 1 + length);
    const salt = `${head.instance}/${head.generation}/${number}/${length}`;
    if (payload.length !== length || salted(salt, payload) !== first["crc"]) return places;
    places.push(...readPlaces(payload));
    at = newline + 1 + length;
  }
}

function* readPlaces(payload: Buffer): Iterable<Place> {
  for (let at = 0; at < payload.length;) {
    const start = payload.indexOf(0x0a, at) + 1;
    const place = JSON.parse(payload.toString("utf8", at, start)) as Omit<Place, "bytes"> & { bytes: number };
    at = start + place.bytes;
    yield { ...place, bytes: payload.subarray(start, at) };
  }
}

function tryParse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** The session file as it will be when the journal has landed. */
export function layOver(file: Buffer, places: readonly Place[], session: unknown): Buffer {
  let whole = file;
  for (const { offset, bytes } of places.filter((place) => place.session === session)) {
    const end = Math.max(whole.length, offset + bytes.length);
    whole = Buffer.concat([whole, Buffer.alloc(end - whole.length)]);
    bytes.copy(whole, offset);
  }
  return whole;
}
