/** `longhand show`: a conversation to read. */

import type { Session, SessionInfo, SessionRecord, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { toJsonLines } from "../export/to-json.ts";
import type { Met } from "../sessions/foreign-sessions.ts";
import { inView } from "../sessions/in-view.ts";
import { PINS_KIND } from "../sessions/pins-kind.ts";
import { readSession } from "../sessions/read-session.ts";
import { type RecordOrGap, recordsWithGaps } from "../sessions/records-with-gaps.ts";
import { escapeControls, escapeKey, onOneLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { readableWidth } from "../terminal/output.ts";
import { renderTranscript } from "../terminal/transcript.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { KEY_HELP } from "./key-help.ts";
import { TIMES_HELP } from "./times-help.ts";
import { parseCount, parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface ShowCommandOptions extends JsonOption {
  readonly last?: number;
  readonly from?: number;
  readonly to?: number;
  readonly all?: boolean;
  readonly full?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand show last", "the conversation with the newest activity"],
    ["longhand show 1234 --last 10", "its ten newest messages; 1234 is a part of the key"],
    ["longhand show last --full | less", "tool calls and results unfolded"],
    ["longhand show last --all", "with everything that was cut or undone"],
    ["longhand show last --all --from 12 --to 20", "the records with these seqs"],
    ["longhand show last --json | jq .message.content", "for a program"],
  ]);
  command
    .argument("<key>", KEY_HELP)
    .option("-n, --last <n>", "only the newest n messages (with --all: records)", parseWholeNumber)
    .option("--from <seq>", "only from this record on", parseCount)
    .option("--to <seq>", "only up to this record", parseCount)
    .option("--all", "everything that is kept: cut and undone messages, notes, changes")
    .option("--full", "tool calls, results and reasoning whole instead of folded to a line")
    .option("--json", 'JSON lines: one record a line; with --all a message that is cut says "live":false')
    .addHelpText("after", TIMES_HELP)
    .action(async (key: string, options: ShowCommandOptions) => {
      if (options.last !== undefined && isRange(options)) {
        throw new CommandError("USAGE_INVALID", "give either --last or --from and --to, not both");
      }
      const surroundings = begin(options);
      await readSession(
        surroundings,
        key,
        async (store, info, met) => show(store, info, options, surroundings, met),
        { onFlawed: () => surroundings.markFailed() },
      );
    });
};

export async function show(
  store: Store,
  info: SessionInfo,
  options: ShowCommandOptions,
  surroundings: Surroundings,
  { damage }: Met,
): Promise<void> {
  const session = store.session(info.key);
  checkRange(info, options);
  const { all = false, last, from, to } = options;
  const records = recordsWithGaps(
    session,
    info,
    {
      all,
      ...(last === undefined ? {} : { last }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
    { directory: surroundings.places.sessions.path, damage },
  );
  if (surroundings.json) await printRecords(records, all, surroundings);
  else await printTranscript(session, info, records, options, surroundings);
}

function isRange({ from, to }: ShowCommandOptions): boolean {
  return from !== undefined || to !== undefined;
}

function checkRange({ key, seq }: SessionInfo, { from = 1, to = seq }: ShowCommandOptions): void {
  const name = from > seq ? `--from ${from}` : to > seq ? `--to ${to}` : undefined;
  if (name !== undefined) {
    throw new CommandError("USAGE_INVALID", `${name}: the newest record of ${escapeKey(key)} is ${seq}`, {
      detail: { key, most: seq },
    });
  }
  if (from > to) throw new CommandError("USAGE_INVALID", `--from ${from} comes after --to ${to}`);
}

async function printRecords(
  records: AsyncIterable<RecordOrGap>,
  all: boolean,
  { output }: Surroundings,
): Promise<void> {
  for await (const line of toJsonLines(all ? records : inView(records))) {
    if (output.isClosed()) return;
    output.write(line);
  }
}

async function printTranscript(
  session: Session,
  info: SessionInfo,
  records: AsyncIterable<RecordOrGap>,
  options: ShowCommandOptions,
  { output, toPaste }: Surroundings,
): Promise<void> {
  const { all = false, full = false } = options;
  const { colors } = output;
  const width = readableWidth(output);
  const range = await shownRange(session, info, options);
  const write = (lines: readonly string[]): void => output.write(lines.map((line) => `${line}\n`).join(""));
  write(headingLines(info, output, toPaste));
  if (info.summary !== "" && !isRange(options)) {
    const summary = wrapText(escapeControls(info.summary), width === undefined ? undefined : width - 2);
    write([colors.bold("Summary of what came before"), ...summary.map((line) => `  ${line}`), ""]);
  }
  if (range.before !== "") write([colors.dim(range.before), ""]);
  let hidden = range.cut;
  const seen = watch(records, (each) => {
    if (!("lost" in each) && each.record.op === undefined && !each.isLive) hidden++;
  });
  const { viewFrom } = range;
  const pinned = await pinnedSeqs(session);
  const style = { width, colors, times: timesFor(output), all, full, viewFrom, pinned };
  for await (const line of renderTranscript(seen, style)) {
    if (output.isClosed()) return;
    output.write(`${line}\n`);
  }
  if (hidden > 0 && !all)
    write([colors.dim(`To read what is cut or undone too: ${toPaste(wordsForAll(options), info.key)}`)]);
}

async function pinnedSeqs(session: Session): Promise<ReadonlySet<number>> {
  // In most sessions nothing was ever pinned: then the context is not loaded.
  if ((await session.lastNote(PINS_KIND)) === undefined) return new Set();
  const { pins } = await import("@longhand/store/context");
  return new Set((await pins(session)).map(({ seq }) => seq));
}

function wordsForAll({ from, to }: ShowCommandOptions): string {
  const bounds = [from === undefined ? "" : ` --from ${from}`, to === undefined ? "" : ` --to ${to}`];
  return `show --all${bounds.join("")}`;
}

async function* watch<T>(items: AsyncIterable<T>, see: (item: T) => void): AsyncIterable<T> {
  for await (const item of items) {
    see(item);
    yield item;
  }
}

/** What to say of that which lies before, and where the view begins, or what is shown of it. */
async function shownRange(
  session: Session,
  info: SessionInfo,
  options: ShowCommandOptions,
): Promise<{ readonly before: string; readonly cut: number; readonly viewFrom: number }> {
  const { last, all = false } = options;
  if (isRange(options)) {
    const begin = await firstOf(session.records({ live: true, to: info.seq }));
    return { before: "", cut: 0, viewFrom: begin?.seq ?? info.seq + 1 };
  }
  const wanted = { live: !all, to: info.seq, ...(last === undefined ? {} : { last }) };
  const first = await firstOf(session.records(wanted));
  const viewFrom = first?.seq ?? (info.count > 0 ? 1 : info.seq + 1);
  if (all) return { before: "", cut: 0, viewFrom };
  if (last !== undefined) {
    const earlier = info.count - Math.min(last, info.count);
    return {
      before:
        earlier === 0 ? "" : `${countOf(earlier, "earlier message")} not shown; leave out --last to see all`,
      cut: 0,
      viewFrom,
    };
  }
  const cut = await countMessages(session, viewFrom - 1);
  if (cut === 0)
    return { before: first === undefined && info.count === 0 ? "No messages yet." : "", cut, viewFrom };
  const before = `${countOf(cut, "earlier message is", "earlier messages are")} cut from the view`;
  return { before, cut, viewFrom };
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
  output: Surroundings["output"],
  toPaste: Surroundings["toPaste"],
): string[] {
  const { colors } = output;
  const { key, status, title, tags, count, updated, bytes, damaged } = info;
  const name = title === undefined || title === "" ? "" : `  ${onOneLine(title)}`;
  const facts = [
    countOf(count, "message"),
    `updated ${timesFor(output).moment(updated)}`,
    formatBytes(bytes),
    ...(tags.length === 0 ? [] : [`tags: ${tags.map(onOneLine).join(", ")}`]),
  ];
  return [
    colors.bold(escapeKey(key)) + (status === "active" ? "" : ` (${status})`) + name,
    colors.dim(facts.join(" · ")),
    ...(status === "archived" ? [colors.dim(`To bring it back: ${toPaste("restore", key)}`)] : []),
    ...(damaged === 0 ? [] : [colors.red(`damaged; where, and what to do: ${toPaste("verify", key)}`)]),
    "",
  ];
}
