/** `longhand list`: which sessions there are. */

import { Option } from "commander";
import type { SessionInfo, Store } from "@longhand/store";
import { sessionLabel } from "../sessions/session-label.ts";
import { withStoreForReading } from "../sessions/with-store.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { relativeTime } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import { parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface ListCommandOptions extends JsonOption {
  readonly limit?: number;
  readonly prefix?: string;
  readonly order?: "updated" | "created" | "key";
}

/** What a person still looks through; a program is given everything. */
const DEFAULT_LIMIT = 50;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand list", "the sessions with the newest activity"],
    ["longhand list --prefix telegram:", "those whose key begins so"],
    ["longhand list --order key --limit 10", "the first ten by key"],
    ["longhand list --json | jq -r .key", "all keys, for a program"],
  ]);
  command
    .option("--limit <n>", `at most that many (default: ${DEFAULT_LIMIT}; with --json all)`, parseWholeNumber)
    .option("--prefix <text>", "only keys that begin with it")
    .addOption(
      new Option("--order <order>", "what comes first")
        .choices(["updated", "created", "key"])
        .default("updated"),
    )
    .option("--json", "JSON lines: one session a line")
    .action(async (options: ListCommandOptions) => {
      const surroundings = begin(options);
      await withStoreForReading(surroundings, async (store) => list(store, options, surroundings));
    });
};

export async function list(
  store: Store,
  { limit, prefix = "", order = "updated" }: ListCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  if (surroundings.json) {
    const wanted = { order, prefix, ...(limit === undefined ? {} : { limit }) };
    for await (const session of store.list(wanted)) {
      if (surroundings.output.isClosed()) return;
      surroundings.output.write(jsonLine(session));
    }
    return;
  }
  const shown = limit ?? DEFAULT_LIMIT;
  const sessions: SessionInfo[] = [];
  // One more than is shown tells whether there are more.
  for await (const session of store.list({ order, prefix, limit: shown + 1 })) sessions.push(session);
  if (sessions.length === 0) sayThereIsNone(prefix, surroundings);
  else await printTable(store, sessions, shown, surroundings);
}

async function printTable(
  store: Store,
  sessions: readonly SessionInfo[],
  shown: number,
  { output }: Surroundings,
): Promise<void> {
  const { colors, isTerminal, width } = output;
  const rows: string[][] = [];
  for (const session of sessions.slice(0, shown)) {
    const { key, count, updated, bytes, damaged } = session;
    const mark = damaged === 0 ? "" : `[${countOf(damaged, "damaged place")}] `;
    rows.push([
      escapeKey(key),
      mark + (await sessionLabel(store, session)),
      String(count),
      isTerminal ? relativeTime(updated, output.now()) : updated,
      formatBytes(bytes),
    ]);
  }
  const columns = [
    { heading: "KEY", least: 12 },
    { heading: "TITLE OR FIRST WORDS", least: 10 },
    { heading: "MESSAGES", align: "right" },
    { heading: "UPDATED" },
    { heading: "SIZE", align: "right" },
  ] as const;
  const lines = renderTable({ columns, rows, shrinks: [1, 0] }, width, (cell, row, column) => {
    if (row === -1) return colors.dim(cell);
    if (column === 0) return colors.cyan(cell);
    return column === 1 && (sessions[row]?.damaged ?? 0) > 0 ? colors.red(cell) : cell;
  });
  for (const line of lines) output.write(`${line}\n`);
  if (sessions.length > shown) {
    output.write(colors.dim(`There are more: --limit ${Math.max(shown, 1) * 10} shows further ones.\n`));
  }
}

function sayThereIsNone(prefix: string, { output, places }: Surroundings): void {
  const { path, why } = places.sessions;
  const which = prefix === "" ? "" : ` whose key begins with “${escapeKey(prefix)}”`;
  output.write(`No sessions${which} in ${escapeLine(path)} (${why}).\n`);
  output.write(
    'Begin one:              longhand append my-first "hello"\n' +
      "Or look somewhere else: longhand list --sessions DIR\n",
  );
}
