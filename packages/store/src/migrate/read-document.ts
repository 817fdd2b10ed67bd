/** A whole-file JSON document of another program, or of our own json backend. Nothing in its content makes this throw. */

import { createHash } from "node:crypto";
import type { FileSystem } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { decodeLine } from "../format/decode.ts";
import type { Entry } from "../format/entry.ts";
import { FORMAT_VERSION } from "../format/format.ts";
import { isJsonObject } from "../format/json.ts";
import { isId } from "../format/session-id.ts";
import type { MigrationFormat, Original } from "./migration-plan.ts";
import { decodeUtf8, parseForeignJson } from "./parse-foreign-json.ts";
import { lackOfPicoclawDocument, lackOfZeroclawState, type Similar } from "./recognize.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Nothing longer can be one string of JavaScript. */
const MAX_DOCUMENT_BYTES = 500 * 1024 * 1024;

export interface ReadDocument {
  readonly read: Pick<Original, "size" | "modified" | "sha256">;
  readonly content: DocumentContent;
}

export type DocumentContent =
  | {
      readonly kind: "session";
      readonly format: MigrationFormat;
      readonly messages: readonly unknown[];
      /** Of our own json backend. */
      readonly entries: readonly Entry[];
      readonly id: string | undefined;
      /** Everything but the messages. */
      readonly fields: Fields;
    }
  /** An object with no messages in it: a sidecar, or nothing of ours. */
  | { readonly kind: "object"; readonly fields: Fields }
  /** It resembles a session. */
  | { readonly kind: "similar"; readonly similar: Similar; readonly fields: Fields }
  | { readonly kind: "unreadable"; readonly reason: string };

export async function readDocument(files: FileSystem, path: string, name: string): Promise<ReadDocument> {
  return await useFile(await files.open(path, "read"), async (file) => {
    const { size, modified } = await file.stat();
    if (size > MAX_DOCUMENT_BYTES) {
      const reason = `it has more than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB`;
      return { read: { size, modified, sha256: "" }, content: { kind: "unreadable", reason } };
    }
    const buffer = Buffer.allocUnsafe(size);
    const bytes = buffer.subarray(0, await file.read(buffer, 0));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { read: { size, modified, sha256 }, content: decodeDocument(bytes, name) };
  });
}

function decodeDocument(bytes: Buffer, name: string): DocumentContent {
  if (bytes.length === 0) return { kind: "unreadable", reason: "it is empty" };
  const text = decodeUtf8(bytes);
  if (text === undefined) return { kind: "unreadable", reason: "it is not valid UTF-8" };
  const value = parseForeignJson(text);
  if (value === undefined) return { kind: "unreadable", reason: "it is not valid JSON" };
  if (!isJsonObject(value)) return { kind: "unreadable", reason: "it is not an object" };
  if (typeof value["longhand"] === "number" && "log" in value) return decodeOwn(value);
  const { messages, history, ...fields } = value;
  // PicoClaw may write an empty list as null.
  if (Array.isArray(messages) || (messages === null && typeof value["key"] === "string")) {
    const lacks = lackOfPicoclawDocument(value);
    if (lacks !== undefined)
      return { kind: "similar", similar: { program: "PicoClaw", lacks }, fields: value };
    const all = Array.isArray(messages) ? (messages as readonly unknown[]) : [];
    const kept = history === undefined ? fields : { ...fields, history };
    return {
      kind: "session",
      format: "picoclaw-json",
      messages: all,
      entries: [],
      id: undefined,
      fields: kept,
    };
  }
  if (value["version"] === 1 && Array.isArray(history) && !name.endsWith(".meta.json")) {
    const lacks = lackOfZeroclawState(value);
    if (lacks !== undefined)
      return { kind: "similar", similar: { program: "ZeroClaw", lacks }, fields: value };
    const all = history as readonly unknown[];
    return { kind: "session", format: "zeroclaw-state", messages: all, entries: [], id: undefined, fields };
  }
  return { kind: "object", fields: value };
}

/** Its log holds every record, each with its checksum: they are taken over, not the messages made from them. */
function decodeOwn(value: Fields): DocumentContent {
  const { longhand, id, log } = value;
  const inLog = ["longhand", "id", "log", "messages"];
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => !inLog.includes(name)));
  if (typeof longhand !== "number" || longhand > FORMAT_VERSION)
    return { kind: "unreadable", reason: `a newer version wrote it (format ${String(longhand)})` };
  if (typeof id !== "string" || !isId(id) || !Array.isArray(log))
    return { kind: "unreadable", reason: "its log or its id is damaged" };
  const entries: Entry[] = [];
  for (const [index, item] of (log as readonly unknown[]).entries()) {
    const decoded = decodeLine(Buffer.from(JSON.stringify(item)), id);
    const isNext = decoded.kind === "entry" && decoded.entry.seq === index + 1;
    if (!isNext || decoded.entry.body.op === "unknown")
      return {
        kind: "unreadable",
        reason: `record ${index + 1} of its log is damaged or of a newer version`,
      };
    entries.push(decoded.entry);
  }
  return { kind: "session", format: "longhand-json", messages: [], entries, id, fields };
}
