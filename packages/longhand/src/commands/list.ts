/** `longhand list`: which sessions there are. */

import { Option } from "commander";
import type { OnProgress, SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { surroundingsOfAgent } from "../sessions/agent-sessions.ts";
import { readAmongForeign, tellIgnored } from "../sessions/foreign-sessions.ts";
import { findKeptFiles, type KeptFiles, tellKeptFiles } from "../sessions/kept-aside.ts";
import { commandsElsewhere, findOtherWorkspaces } from "../sessions/other-workspaces.ts";
import { firstWords, sessionLabel } from "../sessions/session-label.ts";
import { describeUnreadable, type UnreadableSession } from "../sessions/unreadable-session.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { type Progress, showPercent, withProgress } from "../terminal/progress.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { TIMES_HELP } from "./times-help.ts";

export interface ListCommandOptions extends JsonOption {
  readonly limit?: number;
  readonly prefix?: string;
  readonly order?: "updated" | "created" | "key";
  readonly all?: boolean;
  readonly archived?: boolean;
  readonly trash?: boolean;
  readonly agent?: string;
}

const SIZE_HELP =
  "SIZE is that of the records that are kept, before compression, and what a fork shares with another session counts for both; what the disk gives is in longhand doctor.";

/** What a person still looks through; a program is given everything. */
const DEFAULT_LIMIT = 50;
const MOST_KEY_COLUMNS = 40;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand list", "the sessions with the newest activity"],
    ["longhand list --prefix telegram:", "those whose key begins so"],
    ["longhand list --order key --limit 10", "the first ten by key"],
    ["longhand list --trash", "deleted sessions; longhand restore KEY brings one back"],
    ["longhand list --agent coder", "the sessions of another agent of longhand.json"],
    ["longhand list --json | jq -r .key", "all keys, for a program"],
  ]);
  command
    .option("-n, --limit <n>", `at most that many (default: ${DEFAULT_LIMIT}; with --json all)`, parseCount)
    .option("--prefix <text>", "only keys that begin with it")
    .addOption(
      new Option("--order <order>", "what comes first")
        .choices(["updated", "created", "key"])
        .default("updated"),
    )
    .option("--all", "archived sessions too, with a column that says so")
    .option("--archived", "only archived sessions, with their ids")
    .option("--trash", "only deleted sessions that are still in the trash, with their ids")
    .option(
      "--agent <name>",
      "the sessions of this agent of longhand.json (default: the first)",
      parseNotEmpty,
    )
    .option("--json", "JSON lines: one session a line, with its first words as “preview”")
    .addHelpText("after", `\n${SIZE_HELP}${TIMES_HELP}`)
    .action(async (options: ListCommandOptions) => {
      checkUsage(options);
      const begun = begin(options);
      const { agent } = options;
      const surroundings = agent === undefined ? begun : await surroundingsOfAgent(agent, begun);
      await withProgress(surroundings.output, async (progress) => {
        const given = { ...surroundings, output: progress.output };
        const listing = { isWhole: false };
        const showLooked = showPercent(progress, "reading");
        const looked: OnProgress = (done, total) => {
          listing.isWhole = done === total;
          showLooked(done, total);
        };
        const told = { show: (text: string) => progress.show(text), looked };
        await readAmongForeign(given, async (store) => list(store, options, given, told), {
          onFlawed: () => surroundings.markFailed(),
          onUnreadable: (sessions) => {
            if (sessions.length > 0) throw notAllRead(sessions, given);
          },
        });
        // Every file that has the name of a session is listed: then none is ignored, and none need be looked at once more.
        if (!listing.isWhole) await tellIgnored(given);
      });
    });
};

function checkUsage({ all = false, archived = false, trash = false }: ListCommandOptions): void {
  const chosen = [
    ...(all ? ["--all"] : []),
    ...(archived ? ["--archived"] : []),
    ...(trash ? ["--trash"] : []),
  ];
  if (chosen.length > 1) throw new CommandError("USAGE_INVALID", `give only one of ${chosen.join(" and ")}`);
}

interface ListProgress extends Pick<Progress, "show"> {
  readonly looked: OnProgress;
}

async function list(
  store: Store,
  options: ListCommandOptions,
  surroundings: Surroundings,
  progress: ListProgress,
): Promise<void> {
  const kept = await findKeptFiles(surroundings);
  await listSessions(store, options, surroundings, progress, kept);
  await tellKeptFiles(store, kept, surroundings);
}

async function listSessions(
  store: Store,
  options: ListCommandOptions,
  surroundings: Surroundings,
  progress: ListProgress,
  kept: KeptFiles,
): Promise<void> {
  const { limit } = options;
  const { output } = surroundings;
  if (surroundings.json) {
    let told = 0;
    for await (const session of sessionsOf(store, options, limit ?? Infinity, progress)) {
      if (output.isClosed()) return;
      progress.show(`listing: ${countOf(++told, "session")}`);
      const keptAside = kept.get(session.id);
      const preview = await firstWords(store, session);
      output.write(jsonLine({ ...session, ...(keptAside === undefined ? {} : { keptAside }), preview }));
    }
    return;
  }
  const shown = limit ?? DEFAULT_LIMIT;
  const sessions: SessionInfo[] = [];
  // One more than is shown tells whether there are more.
  for await (const session of sessionsOf(store, options, shown + 1, progress)) sessions.push(session);
  if (sessions.length === 0) {
    await sayThereIsNone(options, surroundings);
    return;
  }
  await printTable(store, sessions.slice(0, shown), options, surroundings);
  if (isPutAway(options)) {
    output.write(output.colors.dim(`To bring one back: ${surroundings.toPaste("restore KEY")}\n`));
  }
  if (sessions.length > shown) {
    output.write(output.colors.dim(`There are more: ${moreCommand(options, shown * 10, surroundings)}\n`));
  }
}

function isPutAway({ archived = false, trash = false }: ListCommandOptions): boolean {
  return archived || trash;
}

async function* sessionsOf(
  store: Store,
  { prefix = "", order = "updated", all = false, archived = false, trash = false }: ListCommandOptions,
  limit: number,
  { looked: onProgress }: ListProgress,
): AsyncIterable<SessionInfo> {
  let count = 0;
  const status = trash ? "trashed" : archived ? "archived" : all ? "any" : "active";
  for await (const session of store.list({ prefix, order, status, onProgress })) {
    if (session.status === "trashed" && !trash) continue;
    if (++count > limit) return;
    yield session;
  }
}

async function printTable(
  store: Store,
  sessions: readonly SessionInfo[],
  options: ListCommandOptions,
  { output }: Surroundings,
): Promise<void> {
  const { colors, width } = output;
  const { all = false } = options;
  const withId = isPutAway(options);
  const times = timesFor(output);
  const rows: string[][] = [];
  for (const session of sessions) {
    const { key, id, status, count, updated, bytes, damaged } = session;
    // How many places there are, only verify can tell: a listing does not read everything.
    const mark = damaged === 0 ? "" : "[damaged] ";
    rows.push([
      escapeKey(key),
      mark + (await sessionLabel(store, session)),
      String(count),
      times.moment(updated),
      formatBytes(bytes),
      ...(all ? [status] : []),
      ...(withId ? [id] : []),
    ]);
  }
  const columns: readonly Column[] = [
    { heading: "KEY", most: MOST_KEY_COLUMNS, whole: true },
    { heading: "TITLE OR FIRST WORDS", least: 10 },
    { heading: "MESSAGES", align: "right" },
    { heading: "UPDATED" },
    { heading: "SIZE", align: "right" },
    ...(all ? [{ heading: "STATUS" }] : []),
    ...(withId ? [{ heading: "ID" }] : []),
  ];
  // What was put away is brought back by its id: that is the last to go.
  const drops = withId ? [4, 2, 1, 3, 5] : [4, 2, 3, 5, 1];
  const lines = renderTable({ columns, rows, shrinks: [1], drops }, width, (cell, row, column) => {
    if (row === -1) return colors.dim(cell);
    if (column === 0) return colors.cyan(cell);
    return column === 1 && (sessions[row]?.damaged ?? 0) > 0 ? colors.red(cell) : cell;
  });
  for (const line of lines) output.write(`${line}\n`);
}

function moreCommand(
  { prefix = "", order = "updated", all = false, archived = false, trash = false }: ListCommandOptions,
  limit: number,
  { toPaste }: Surroundings,
): string {
  const words = [
    `list --limit ${limit}`,
    ...(all ? ["--all"] : []),
    ...(archived ? ["--archived"] : []),
    ...(trash ? ["--trash"] : []),
    ...(order === "updated" ? [] : [`--order ${order}`]),
    ...(prefix === "" ? [] : [`--prefix ${shellQuote(prefix)}`]),
  ];
  return toPaste(words.join(" "));
}

async function sayThereIsNone(
  { prefix = "", archived = false, trash = false }: ListCommandOptions,
  { output, places, toPaste, program }: Surroundings,
): Promise<void> {
  const { path, why } = places.sessions;
  const which = prefix === "" ? "" : ` whose key begins with “${escapeKey(prefix)}”`;
  if (trash || archived) {
    const nothing =
      prefix === ""
        ? trash
          ? "The trash is empty"
          : "No sessions are archived"
        : `The ${trash ? "trash" : "archive"} has no sessions${which}`;
    output.write(`${nothing} in ${escapeLine(path)} (${why}).\n`);
    return;
  }
  output.write(`No sessions${which} in ${escapeLine(path)} (${why}).\n`);
  const elsewhere = commandsElsewhere(await findOtherWorkspaces(places), "list", toPaste);
  if (elsewhere.length > 0) {
    output.write("Other workspaces have sessions:\n");
    for (const command of elsewhere) output.write(`  ${command}\n`);
    return;
  }
  output.write(
    `Begin one:              ${toPaste('append my-first "hello"')}\n` +
      `Or look somewhere else: ${program} list --sessions DIR\n`,
  );
}

/** The sessions that could be read have been listed; that the list is not whole must not be overlooked. */
function notAllRead(unreadable: readonly UnreadableSession[], { toPaste }: Surroundings): CommandError {
  const lines = unreadable.flatMap((session) => [
    `  ${escapeLine(describeUnreadable(session))}`,
    `    what to do: ${escapeLine(session.remedy)}`,
  ]);
  return new CommandError(
    "SESSIONS_UNREADABLE",
    [`${countOf(unreadable.length, "session")} could not be read:`, ...lines].join("\n"),
    { detail: { sessions: unreadable }, remedy: `to look closer: ${toPaste("doctor")}` },
  );
}
