/** `longhand show`: a conversation to read. */

import type { Session, SessionInfo, SessionRecord, Store } from "@longhand/store";
import { chooseSession } from "../sessions/choose-session.ts";
import { markLive } from "../sessions/mark-live.ts";
import { withStoreForReading } from "../sessions/with-store.ts";
import { escapeControls, escapeKey, onOneLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { dateAndTime, relativeTime } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { renderTranscript } from "../terminal/transcript.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface ShowCommandOptions extends JsonOption {
  readonly last?: number;
  readonly all?: boolean;
  readonly full?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand show last", "the conversation with the newest activity"],
    ["longhand show 1234 --last 10", "its ten newest messages; 1234 is a part of the key"],
    ["longhand show last --full | less", "tool calls and results unfolded"],
    ["longhand show last --all", "with everything that was cut or undone"],
    ["longhand show last --json | jq .message.content", "for a program"],
  ]);
  command
    .argument("<key>", "the key, any part of it that no other key has, or “last”")
    .option("--last <n>", "only the newest n messages (with --all: records)", parseWholeNumber)
    .option("--all", "everything that is kept: cut and undone messages, notes, changes")
    .option("--full", "tool calls, results and reasoning whole instead of folded to a line")
    .option("--json", "JSON lines: one record a line, with seq and time")
    .action(async (key: string, options: ShowCommandOptions) => {
      const surroundings = begin(options);
      await withStoreForReading(surroundings, async (store) => show(store, key, options, surroundings));
    });
};

export async function show(
  store: Store,
  key: string,
  options: ShowCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json } = surroundings;
  const info = await chooseSession(store, key, output.now());
  const session = store.session(info.key);
  if (json) await printRecords(session, options, surroundings);
  else await printTranscript(session, info, options, surroundings);
}

async function printRecords(
  session: Session,
  { last, all = false }: ShowCommandOptions,
  { output }: Surroundings,
): Promise<void> {
  for await (const record of session.records({ live: !all, ...(last === undefined ? {} : { last }) })) {
    if (output.isClosed()) return;
    output.write(jsonLine(record));
  }
}

async function printTranscript(
  session: Session,
  info: SessionInfo,
  options: ShowCommandOptions,
  { output }: Surroundings,
): Promise<void> {
  const { all = false, full = false } = options;
  const { colors } = output;
  const width = readableWidth(output);
  const range = await shownRange(session, info, options);
  const write = (lines: readonly string[]): void => output.write(lines.map((line) => `${line}\n`).join(""));
  write(headingLines(info, output.now(), output));
  if (info.summary !== "") {
    const summary = wrapText(escapeControls(info.summary), width === undefined ? undefined : width - 2);
    write([colors.bold("Summary of what came before"), ...summary.map((line) => `  ${line}`), ""]);
  }
  if (range.before !== "") write([colors.dim(range.before), ""]);
  if (range.from === undefined) return;
  const bounds = { from: range.from, to: info.seq };
  const records = markLive(session.records(bounds), session.records({ ...bounds, live: true }));
  for await (const line of renderTranscript(records, { width, colors, all, full })) {
    if (output.isClosed()) return;
    output.write(`${line}\n`);
  }
}

/** Where to begin, and what to say of that which lies before. */
async function shownRange(
  session: Session,
  info: SessionInfo,
  { last, all = false }: ShowCommandOptions,
): Promise<{ readonly from: number | undefined; readonly before: string }> {
  const wanted = { live: !all, to: info.seq, ...(last === undefined ? {} : { last }) };
  const first = await firstOf(session.records(wanted));
  if (all) return { from: first?.seq, before: "" };
  if (last !== undefined) {
    const earlier = info.count - Math.min(last, info.count);
    return {
      from: first?.seq,
      before:
        earlier === 0 ? "" : `${countOf(earlier, "earlier message")} not shown; leave out --last to see all`,
    };
  }
  const cut = await countMessages(session, (first?.seq ?? info.seq + 1) - 1);
  if (cut === 0) return { from: first?.seq, before: first === undefined ? "No messages yet." : "" };
  const before = `${countOf(cut, "earlier message is", "earlier messages are")} cut from the view; --all shows ${cut === 1 ? "it" : "them"}`;
  return { from: first?.seq, before };
}

async function firstOf(records: AsyncIterable<SessionRecord>): Promise<SessionRecord | undefined> {
  for await (const record of records) return record;
  return undefined;
}

async function countMessages(session: Session, to: number): Promise<number> {
  let count = 0;
  if (to < 1) return count;
  for await (const record of session.records({ to })) if (record.op === undefined) count++;
  return count;
}

function headingLines(
  info: SessionInfo,
  now: Date,
  { colors, isTerminal }: Surroundings["output"],
): string[] {
  const { key, title, tags, count, updated, bytes, damaged } = info;
  const name = title === undefined || title === "" ? "" : `  ${onOneLine(title)}`;
  const facts = [
    countOf(count, "message"),
    `updated ${isTerminal ? relativeTime(updated, now) : dateAndTime(updated)}`,
    formatBytes(bytes),
    ...tags.map((tag) => `#${onOneLine(tag)}`),
  ];
  return [
    colors.bold(escapeKey(key)) + name,
    colors.dim(facts.join(" · ")),
    ...(damaged === 0
      ? []
      : [colors.red(`${countOf(damaged, "damaged place")}: longhand doctor tells where`)]),
    "",
  ];
}
