/** Reads the text of an export, JSONL or JSON, back into records. Pure; the shape of messages and operations is the store's to check. */

import type { Message, SessionInfo, SessionRecord } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { escapeLine } from "../terminal/escape-controls.ts";

export interface ParsedExport {
  readonly format: "json" | "jsonl";
  /** `undefined`: the export does not name its session. */
  readonly key: string | undefined;
  /** With the seqs that they had; ascending, possibly with gaps. */
  readonly records: readonly SessionRecord[];
  /** The seqs of messages that the model saw. */
  readonly live: ReadonlySet<number>;
  /** What the session ended with, where the export says so. */
  readonly end: Pick<SessionInfo, "summary" | "title" | "tags" | "updated"> | undefined;
  /** How many records the session had lost, or dropped on request, when it was exported. */
  readonly missing: number;
  /** How many records of a newer version are left out. */
  readonly unknown: number;
}

export interface ParseOptions {
  /** For messages: the file, or standard input. */
  readonly name: string;
  /** The time of messages that have none: a JSON export has no times. */
  readonly now: Date;
}

type Fields = Readonly<Record<string, unknown>>;

/** INPUT_INVALID says what is wrong, and in which line. */
export function parseExport(text: string, options: ParseOptions): ParsedExport {
  const [first = ""] = text.trimStart().split("\n", 1);
  const firstLine = parsed(first);
  const document = firstLine === undefined ? parsed(text) : firstLine;
  if (isObject(document) && Array.isArray(document["messages"])) return fromDocument(document, options);
  if (isObject(firstLine) && "longhand" in firstLine) {
    throw wrong(
      options,
      1,
      "is the header of a store's own file, not of an export; export it first: longhand export KEY --sessions DIR",
    );
  }
  // A broken first line is named as such, if the next one is JSON: then the file was meant as JSON lines.
  const [, second = ""] = text.trimStart().split("\n", 2);
  if (isObject(firstLine) || isObject(parsed(second))) return fromLines(text, options);
  throw new CommandError(
    "INPUT_INVALID",
    `${escapeLine(options.name)} is no export in JSON or JSONL; Markdown cannot be imported: export with --format jsonl`,
  );
}

function fromDocument(document: Fields, { now }: ParseOptions): ParsedExport {
  const info = isObject(document["info"]) ? document["info"] : {};
  const { summary, title = "", tags } = endOf(info);
  const at = now.toISOString();
  const messages = document["messages"] as readonly Message[];
  const records: SessionRecord[] = messages.map((message, index) => ({ seq: index + 1, at, message }));
  const live = new Set(records.map(({ seq }) => seq));
  if (summary !== "") records.push({ seq: records.length + 1, at, op: "summary", summary });
  if (title !== "") records.push({ seq: records.length + 1, at, op: "meta", title });
  if (tags.length > 0) records.push({ seq: records.length + 1, at, op: "meta", tags });
  const lost: readonly unknown[] = Array.isArray(document["lost"]) ? document["lost"] : [];
  const missing = lost.reduce<number>((sum, run) => sum + lostIn(run), 0);
  return {
    format: "json",
    key: textOrNothing(info["key"]),
    records,
    live,
    end: undefined,
    missing,
    unknown: 0,
  };
}

function fromLines(text: string, options: ParseOptions): ParsedExport {
  const records: SessionRecord[] = [];
  const live = new Set<number>();
  let head: Fields | undefined;
  let unknown = 0;
  let lastSeq = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const number = index + 1;
    const fields = objectIn(line, number, options);
    if (fields["type"] === "session") {
      if (head !== undefined || lastSeq > 0) {
        throw wrong(options, number, "begins another session; import one session at a time");
      }
      head = fields;
    } else if (fields["type"] === "lost") {
      lastSeq = Math.max(lastSeq, seqOf(fields["last"], number, options));
    } else {
      const { live: isLive, ...record } = fields;
      lastSeq = Math.max(lastSeq, seqOf(record["seq"], number, options));
      if (record["op"] === "unknown") unknown++;
      else {
        // Its shape is checked by the store, which trusts no type.
        records.push(record as unknown as SessionRecord);
        if (record["op"] === undefined && isLive !== false) live.add(lastSeq);
      }
    }
  }
  if (head !== undefined && head["seq"] !== lastSeq) {
    throw new CommandError(
      "INPUT_INVALID",
      `${escapeLine(options.name)} is incomplete: it ends with record ${lastSeq} of ${String(head["seq"])}; nothing was written`,
    );
  }
  return {
    format: "jsonl",
    key: textOrNothing(head?.["key"]),
    records,
    live,
    end: head === undefined ? undefined : endOf(head),
    missing: Math.max(0, lastSeq - records.length - unknown),
    unknown,
  };
}

function objectIn(line: string, number: number, options: ParseOptions): Fields {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw wrong(options, number, `is not valid JSON: ${escapeLine(reason)}`, cause);
  }
  throw wrong(options, number, "is not a JSON object");
}

function seqOf(value: unknown, number: number, options: ParseOptions): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  throw wrong(
    options,
    number,
    "is not a record of an export; to append messages: longhand append KEY < FILE",
  );
}

function endOf({ summary, title, tags, updated }: Fields): NonNullable<ParsedExport["end"]> {
  return {
    summary: textOrNothing(summary) ?? "",
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    updated: textOrNothing(updated) ?? "",
    ...(typeof title === "string" ? { title } : {}),
  };
}

function lostIn(run: unknown): number {
  if (!isObject(run)) return 0;
  const { first, last } = run;
  return Number.isSafeInteger(first) && Number.isSafeInteger(last)
    ? Math.max(0, Number(last) - Number(first) + 1)
    : 0;
}

function wrong({ name }: ParseOptions, line: number, what: string, cause?: unknown): CommandError {
  return new CommandError(
    "INPUT_INVALID",
    `line ${line} of ${escapeLine(name)} ${what}; nothing was written`,
    {
      detail: { line },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** `undefined`: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
