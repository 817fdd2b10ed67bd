/** What a source holds, found by reading it once: what it becomes, and what does not fit. */

import { isLonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import { EMPTY_STATE, foldEntry } from "../format/fold.ts";
import { checkKey } from "../format/key.ts";
import { fromFileTime, fromForeignTime } from "./foreign-time.ts";
import type { MigrationFormat, MigrationSource, Original, UntakenLine } from "./migration-plan.ts";
import { readSource } from "./read-source.ts";
import { LineShapes, PROGRAMS, type Similar } from "./recognize.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A source before it is read: its files, and what is known without their lines. */
export interface FoundSource {
  readonly files: readonly Pick<Original, "name" | "holds">[];
  /** `undefined`: the lines will tell. */
  readonly format: MigrationFormat | undefined;
  readonly fileKey: string;
  readonly wasArchived: boolean;
  /** Key, summary, times and whatever else the document or the sidecar says. */
  readonly fields: Fields;
  readonly ownId: string | undefined;
  readonly remarks: readonly string[];
}

export type Examined =
  | { readonly kind: "session"; readonly source: MigrationSource }
  | { readonly kind: "similar"; readonly similar: Similar }
  /** A session of this store that is damaged at its beginning: what fails its checksums must not become a message. */
  | { readonly kind: "ours" }
  /** Not one message in it, and nothing else says that it is a session. */
  | { readonly kind: "none" };

export async function examineSource(
  files: FileSystem,
  directory: string,
  found: FoundSource,
): Promise<Examined> {
  const counted = await count(files, directory, found);
  if (counted.isOurs) return { kind: "ours" };
  const format = formatOf(found, counted);
  if (format === undefined) return { kind: "none" };
  if (typeof format !== "string") return { kind: "similar", similar: format };
  return { kind: "session", source: toSource(found, format, counted) };
}

function toSource(found: FoundSource, format: MigrationFormat, counted: Counted): MigrationSource {
  const { fields } = found;
  const remarks = [...found.remarks];
  const key = keyOf(fields["key"], found.fileKey, remarks);
  const summary = textOf(fields["summary"], remarks);
  const modified = fromFileTime(Math.max(...counted.originals.map((each) => each.modified)));
  const updated = fromForeignTime(fields["updated_at"] ?? fields["updated"]) ?? counted.last ?? modified;
  const created = fromForeignTime(fields["created_at"] ?? fields["created"]) ?? counted.first ?? updated;
  const skip = skipOf(fields["skip"], remarks);
  checkCount(fields["count"], counted.rawLines, remarks);
  const isTold = (name: string): boolean =>
    (name === "key" && fields["key"] === key) || (name === "summary" && fields["summary"] === summary);
  const given = Object.fromEntries(Object.entries(fields).filter(([name]) => !isTold(name)));
  return {
    format,
    key,
    wasArchived: found.wasArchived,
    originals: counted.originals,
    messages: counted.messages,
    hidden: counted.rawLineOf.filter((rawLine) => rawLine <= skip).length + counted.hiddenEntries,
    summary,
    created,
    updated,
    ownId: found.ownId,
    skip,
    given,
    untaken: counted.untaken,
    remarks,
  };
}

interface Counted {
  isOurs: boolean;
  readonly originals: Original[];
  readonly untaken: UntakenLine[];
  readonly shapes: LineShapes;
  messages: number;
  rawLines: number;
  /** Only of messages that a sidecar may hide. */
  readonly rawLineOf: number[];
  /** Messages of a log of ours that are no longer live. */
  hiddenEntries: number;
  first: string | undefined;
  last: string | undefined;
}

async function count(files: FileSystem, directory: string, found: FoundSource): Promise<Counted> {
  const counted: Counted = {
    isOurs: false,
    originals: [],
    untaken: [],
    shapes: new LineShapes(),
    messages: 0,
    rawLines: 0,
    rawLineOf: [],
    hiddenEntries: 0,
    first: undefined,
    last: undefined,
  };
  let state = EMPTY_STATE;
  const mayHide = found.fields["skip"] !== undefined;
  for await (const item of readSource(files, directory, found.files, found.format ?? "picoclaw-jsonl")) {
    switch (item.kind) {
      case "file":
        counted.originals.push(item.read);
        break;
      case "ours":
        counted.isOurs = true;
        break;
      case "untaken":
      case "aside":
        counted.untaken.push(item.untaken);
        if (item.shape !== undefined) counted.shapes.add(item.shape, false);
        break;
      case "entry":
        if (item.entry.body.op === "message") counted.messages++;
        state = foldEntry(state, item.entry);
        counted.hiddenEntries = counted.messages - state.count;
        break;
      case "message":
        counted.messages++;
        counted.rawLines = item.rawLine;
        if (mayHide) counted.rawLineOf.push(item.rawLine);
        counted.first ??= item.at;
        counted.last = item.at ?? counted.last;
        counted.shapes.add(item.shape, true);
    }
  }
  return counted;
}

/** A document and a sidecar tell it; else every line must. */
function formatOf(
  { format, files }: FoundSource,
  { shapes, messages }: Counted,
): MigrationFormat | Similar | undefined {
  if (format !== undefined && format !== "kernel-jsonl") return format;
  const recognized = shapes.recognize(messages);
  if (format === undefined || typeof recognized !== "string" || recognized === format) return recognized;
  return { program: PROGRAMS[format], lacks: `a timestamp on every line of ${files[0]?.name ?? "it"}` };
}

function keyOf(value: unknown, fileKey: string, remarks: string[]): string {
  if (typeof value === "string" && value !== "") {
    try {
      return checkKey(value);
    } catch (error) {
      if (!isLonghandError(error)) throw error;
      remarks.push(`its key cannot be used (${error.message}); the key is the file's name`);
    }
  } else if (value !== undefined) remarks.push("it names no key; the key is the file's name");
  return checkKey(fileKey);
}

function textOf(value: unknown, remarks: string[]): string {
  if (typeof value === "string") return value;
  if (value !== undefined && value !== null) remarks.push("its summary is not text; it is kept as it was");
  return "";
}

function skipOf(value: unknown, remarks: string[]): number {
  if (value === undefined) return 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  remarks.push("its skip is no count; nothing is hidden");
  return 0;
}

function checkCount(value: unknown, rawLines: number, remarks: string[]): void {
  if (typeof value === "number" && value < rawLines)
    remarks.push(`its count says ${value} lines, there are more`);
}
