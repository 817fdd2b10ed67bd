/**
 * One session as one JSON file. `key`, `messages` (the live view), `summary`, `created` and `updated` are what older
 * programs know and read. `longhand`, `id` and `log` are ours: the log holds every record, each with its checksum,
 * exactly as in a line of the JSONL format, so that nothing is lost by a cut and no flipped bit is read as a message.
 *
 * Pure. Nothing here throws on what is in a file: it is a session, or it is not for a stated reason.
 */

import { createHash } from "node:crypto";
import { isLonghandError, LonghandError } from "../../errors.ts";
import { reasonText } from "../../format/damage-reason.ts";
import { decodeLine } from "../../format/decode.ts";
import { encodeEntry } from "../../format/encode.ts";
import type { Entry } from "../../format/entry.ts";
import { EMPTY_STATE, foldEntry, isLive, type SessionState } from "../../format/fold.ts";
import { FORMAT_VERSION } from "../../format/format.ts";
import { isJsonObject, parseJson, tryParseJson } from "../../format/json.ts";
import { checkKey } from "../../format/key.ts";
import { messageBody } from "../../format/message-body.ts";
import { withChecksum } from "../../format/line-checksum.ts";
import { isId, makeId } from "../../format/session-id.ts";
import type { SessionIdentity } from "../session-in-memory.ts";
import { fromLegacyMessage, toLegacyMessage } from "../../format/legacy-message.ts";
import { fromLegacyTime, UNKNOWN_TIME } from "../../format/legacy-time.ts";
import { numbersSurvive } from "../../format/numbers-survive.ts";

export const JSON_SUFFIX = ".json";

/** Nothing longer can be one string of JavaScript. Each live message stands in a file twice. */
export const MAX_FILE_BYTES: number = 500 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** A record and its text in the file: what is written once is never encoded anew, also if its kind is unknown. */
export interface LogRecord {
  readonly entry: Entry;
  readonly line: string;
  /** A message as older programs read it. */
  readonly legacy: string | undefined;
}

export interface SessionJson {
  readonly header: SessionIdentity;
  readonly records: readonly LogRecord[];
  /** Fields of the file that mean nothing to us; they are written back. */
  readonly others: Fields;
}

export type DecodedSessionJson =
  /** `isOwn`: Longhand has written it; else PicoClaw. */
  | { readonly kind: "session"; readonly session: SessionJson; readonly isOwn: boolean }
  /** It has messages, but is no session of either. */
  | { readonly kind: "foreign" }
  /** The key may be known even then: it comes first in the file. */
  | { readonly kind: "unreadable"; readonly reason: string; readonly key: string | undefined }
  | { readonly kind: "too-new"; readonly reason: string; readonly key: string | undefined }
  /** A file that belongs to a session in another format, and is no session itself. */
  | { readonly kind: "sidecar" };

export function toLogRecord(entry: Entry, sessionId: string): LogRecord {
  return recordOf(entry, encodeLine(entry, sessionId).toString("utf8").trimEnd());
}

/** A record of an unknown kind is taken over as it is, sealed for this session: that happens in a fork. */
function encodeLine(entry: Entry, sessionId: string): Buffer {
  const { body } = entry;
  return body.op === "unknown"
    ? withChecksum(body.json.slice(0, -1), sessionId)
    : encodeEntry(entry, sessionId);
}

function recordOf(entry: Entry, line: string): LogRecord {
  const { body, at } = entry;
  if (body.op !== "message") return { entry, line, legacy: undefined };
  return { entry, line, legacy: JSON.stringify(toLegacyMessage(parseJson(body.json) as Fields, at)) };
}

export function encodeSessionJson({ header, records, others }: SessionJson, state: SessionState): string {
  const live = records.filter(({ entry }) => isLive(state, entry.seq)).map(({ legacy }) => legacy);
  const fields: readonly (readonly [string, string])[] = [
    ["key", JSON.stringify(header.key)],
    ["messages", linesOf(live.filter((message) => message !== undefined))],
    ["summary", JSON.stringify(state.summary)],
    ["created", JSON.stringify(header.at)],
    ["updated", JSON.stringify(state.updated ?? header.at)],
    ...Object.entries(others).map(([name, value]) => [name, JSON.stringify(value)] as const),
    ["longhand", String(FORMAT_VERSION)],
    ["id", JSON.stringify(header.id)],
    ["log", linesOf(records.map(({ line }) => line))],
  ];
  const bytes = fields.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_FILE_BYTES) throw tooLarge(header.key);
  return `{\n${fields.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(",\n")}\n}\n`;
}

function linesOf(items: readonly string[]): string {
  return items.length === 0 ? "[]" : `[\n${items.join(",\n")}\n]`;
}

export function decodeSessionJson(text: string, fileName: string): DecodedSessionJson {
  const value = tryParseJson(text);
  if (value === undefined) return unreadable("it is not valid JSON", keyAtStart(text, fileName));
  if (!isJsonObject(value)) return unreadable("it is not a session: no object", undefined);
  if (fileName.endsWith(`.meta${JSON_SUFFIX}`) && !("messages" in value)) return { kind: "sidecar" };
  const key = keyOf(value["key"], fileName);
  const version = value["longhand"];
  if (typeof version === "number" && version > FORMAT_VERSION) {
    return { kind: "too-new", reason: `a newer version wrote it (format ${version})`, key };
  }
  // An older program may write an empty list as null; but then it has written a key.
  const messages = value["messages"] === null && typeof value["key"] === "string" ? [] : value["messages"];
  if (!Array.isArray(messages)) return unreadable("it is not a session: it has no messages", key);
  const isOwn = "log" in value;
  if (!isOwn && !isPicoclawSession(value)) return { kind: "foreign" };
  try {
    const file = { text, value, key: checkKey(key), messages: messages as readonly unknown[] };
    return { kind: "session", session: isOwn ? fromLog(file) : fromMessages(file), isOwn };
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    return unreadable(error.message, key);
  }
}

/** Other programs keep messages in JSON files as well, with prompts or requests in them. */
function isPicoclawSession({ key, created, updated }: Fields): boolean {
  return typeof key === "string" && [created, updated].every(isTime);
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

interface ParsedFile {
  readonly text: string;
  readonly value: Fields;
  readonly key: string;
  readonly messages: readonly unknown[];
}

function fromLog({ value, key, messages }: ParsedFile): SessionJson {
  const { id, log, summary } = value;
  if (typeof id !== "string" || !isId(id) || !Array.isArray(log))
    throw damaged("its log or its id is damaged");
  const records = log.map((item: unknown, index): LogRecord => {
    const line = JSON.stringify(item);
    const decoded = decodeLine(Buffer.from(line), id);
    if (decoded.kind !== "entry") {
      const reason = decoded.kind === "bad" ? reasonText(decoded.reason) : "no record";
      throw damaged(`record ${index + 1} of its log is damaged: ${reason}`);
    }
    if (decoded.entry.seq !== index + 1) throw damaged(`record ${index + 1} of its log is missing`);
    return recordOf(decoded.entry, line);
  });
  const state = records.reduce((folded, { entry }) => foldEntry(folded, entry), EMPTY_STATE);
  if (state.count !== messages.length || state.summary !== summary) {
    throw damaged(
      "its messages and its log differ, so another program has changed one of them; to go by the messages, remove the log",
    );
  }
  return { header: { key, id, at: timeOf(value["created"]) }, records, others: othersOf(value) };
}

/** What an older program wrote. A message without its own time gets that of the file: by then it was there. */
function fromMessages({ text, value, key, messages }: ParsedFile): SessionJson {
  if (!numbersSurvive(text)) throw damaged("it has a number with more digits than can be kept here");
  const created = timeOf(value["created"]);
  const updated = fromLegacyTime(value["updated"]) ?? created;
  const { summary = "" } = value;
  if (typeof summary !== "string") throw damaged("its summary is not text");
  // The same at each reading, until a write puts it into the file.
  const id = makeId(Date.parse(created), createHash("sha256").update(key).digest());
  const entries = messages.map((message, index) => messageEntry(message, index + 1, updated));
  if (summary !== "") {
    entries.push({ seq: entries.length + 1, at: updated, body: { op: "summary", summary } });
  }
  const records = entries.map((entry) => toLogRecord(entry, id));
  return { header: { key, id, at: created }, records, others: othersOf(value) };
}

function messageEntry(value: unknown, seq: number, updated: string): Entry {
  if (!isJsonObject(value)) throw damaged(`message ${seq} is no object`);
  const { message, at = updated } = fromLegacyMessage(value);
  try {
    return { seq, at, body: messageBody(message) };
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    throw damaged(`message ${seq}: ${error.message}`);
  }
}

function keyOf(key: unknown, fileName: string): string {
  return typeof key === "string" && key !== "" ? key : fileName.slice(0, -JSON_SUFFIX.length);
}

/** Of a file that was cut short: whose it was can often still be told. */
function keyAtStart(text: string, fileName: string): string | undefined {
  const quoted = /^\s*\{\s*"key"\s*:\s*("(?:[^"\\]|\\.){0,4096}")/.exec(text)?.[1];
  return quoted === undefined ? undefined : keyOf(tryParseJson(quoted), fileName);
}

function timeOf(value: unknown): string {
  return fromLegacyTime(value) ?? UNKNOWN_TIME;
}

const OWN_FIELDS = new Set(["key", "messages", "summary", "created", "updated", "longhand", "id", "log"]);

function othersOf(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !OWN_FIELDS.has(name)));
}

function unreadable(reason: string, key: string | undefined): DecodedSessionJson {
  return { kind: "unreadable", reason, key };
}

function damaged(reason: string): LonghandError {
  return new LonghandError("SESSION_DAMAGED", reason);
}

function tooLarge(key: string): LonghandError {
  return new LonghandError(
    "MESSAGE_TOO_LARGE",
    `the session ${JSON.stringify(key)} has outgrown one JSON file (${MAX_FILE_BYTES / 1024 / 1024} MiB); keep it in a JSONL store`,
    { key, limit: MAX_FILE_BYTES },
  );
}
