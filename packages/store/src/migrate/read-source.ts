/**
 * The content of a source, item by item, in the order of the conversation. Planning reads it to count, staging reads it
 * again to write: the sums of both readings are compared, so that what is migrated is what was planned.
 */

import { createHash } from "node:crypto";
import type { FileSystem } from "../host/host.ts";
import { patchedSource, type ByteSource } from "../session/byte-source.ts";
import { readLines } from "../session/read-lines.ts";
import type { Body, Entry } from "../format/entry.ts";
import { hasOurLine } from "../format/our-line.ts";
import { serialize } from "../format/serialize.ts";
import { toForeignMessage } from "./foreign-message.ts";
import type { MigrationFormat, Original, UntakenLine } from "./migration-plan.ts";
import { readDocument } from "./read-document.ts";
import { shapeOf, type LineShape } from "./recognize.ts";
import { splitLine, type LinePiece } from "./split-line.ts";

type Fields = Readonly<Record<string, unknown>>;

export type SourceItem =
  | {
      readonly kind: "message";
      readonly body: Body;
      readonly at: string | undefined;
      /** The number of its raw line among those that are not empty. */
      readonly rawLine: number;
      readonly shape: LineShape;
    }
  /** An object that is no message: it keeps its place as a note, and is named in the report. */
  | { readonly kind: "aside"; readonly body: Body; readonly untaken: UntakenLine; readonly shape: LineShape }
  /** `shape`: of an object that cannot be kept, either. */
  | { readonly kind: "untaken"; readonly untaken: UntakenLine; readonly shape?: LineShape }
  /** A line of a session file of ours: whatever else is in this file, no other program has written it. */
  | { readonly kind: "ours" }
  /** A record of ours, as it is. */
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "file"; readonly read: Original };

export async function* readSource(
  files: FileSystem,
  directory: string,
  originals: readonly Pick<Original, "name" | "holds">[],
  format: MigrationFormat,
): AsyncIterable<SourceItem> {
  for (const { name, holds } of originals) {
    if (holds === "lines") yield* readForeignLines(files, directory, name, format);
    else yield* readForeignDocument(files, directory, name, holds, format);
  }
}

async function* readForeignDocument(
  files: FileSystem,
  directory: string,
  name: string,
  holds: "document" | "meta",
  format: MigrationFormat,
): AsyncIterable<SourceItem> {
  const document = await readDocument(files, `${directory}/${name}`, name);
  if (holds === "document" && document.content.kind === "session") {
    for (const entry of document.content.entries) yield { kind: "entry", entry };
    for (const [index, value] of document.content.messages.entries()) {
      const place = { file: name, line: index + 1, offset: 0, bytes: 0, kind: "corrupt" as const };
      yield toItem(value, place, index + 1, format);
    }
  }
  yield { kind: "file", read: { name, holds, ...document.read } };
}

async function* readForeignLines(
  files: FileSystem,
  directory: string,
  name: string,
  format: MigrationFormat,
): AsyncIterable<SourceItem> {
  const file = await files.open(`${directory}/${name}`, "read");
  try {
    const { size, modified } = await file.stat();
    const hash = createHash("sha256");
    const source = hashing(patchedSource(file, size, []), (bytes) => hash.update(bytes));
    let line = 0;
    let rawLine = 0;
    for await (const lines of readLines(source, 0, size)) {
      for (const { offset, content, bytes, terminated } of lines) {
        line++;
        if (content !== undefined && hasOurLine(content)) yield { kind: "ours" };
        const pieces = content === undefined ? [tooLong(bytes)] : splitLine(content);
        if (pieces.length === 0) continue;
        rawLine++;
        for (const piece of pieces) {
          const kind = terminated ? "corrupt" : "torn";
          const place = {
            file: name,
            line,
            offset: offset + piece.offset,
            bytes: piece.bytes,
            kind,
          } as const;
          yield piece.kind === "bad"
            ? { kind: "untaken", untaken: { ...place, reason: piece.reason } }
            : toItem(piece.value, place, rawLine, format);
        }
      }
    }
    yield { kind: "file", read: { name, holds: "lines", size, modified, sha256: hash.digest("hex") } };
  } finally {
    await file.close();
  }
}

function toItem(
  value: unknown,
  place: Omit<UntakenLine, "reason">,
  rawLine: number,
  format: MigrationFormat,
): SourceItem {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { kind: "untaken", untaken: { ...place, reason: "not an object" } };
  const fields = value as Fields;
  const shape = shapeOf(fields);
  const message = toForeignMessage(fields, format);
  if (message.kind === "message")
    return { kind: "message", body: message.body, at: message.at, rawLine, shape };
  const untaken: UntakenLine = { ...place, kind: "corrupt", reason: message.reason };
  const json = message.keepable ? trySerialize(fields) : undefined;
  return json === undefined
    ? { kind: "untaken", untaken, shape }
    : { kind: "aside", body: { op: "note", kind: "migrated-line", json }, untaken, shape };
}

/** `undefined`: too deep or too large to be kept. */
function trySerialize(value: Fields): string | undefined {
  try {
    return serialize(value, "the line");
  } catch {
    return undefined;
  }
}

function tooLong(bytes: number): LinePiece {
  return { kind: "bad", offset: 0, bytes, reason: "longer than a message may be" };
}

/** Lines are read once, from front to back. */
function hashing(source: ByteSource, update: (bytes: Buffer) => unknown): ByteSource {
  return {
    size: source.size,
    async read(into, position) {
      const count = await source.read(into, position);
      update(into.subarray(0, count));
      return count;
    },
  };
}
