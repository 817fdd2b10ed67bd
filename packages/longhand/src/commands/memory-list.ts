/** `longhand memory list`: the entries of the memory, newest first. */

import { Option } from "commander";
import type { Memory, MemoryEntry, MemoryKind, Scope } from "@longhand/store/memory";
import { nothingRemembered, withMemory } from "../sessions/with-memory.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { formatScope, parseScope } from "../terminal/scope-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { TIMES_HELP } from "./times-help.ts";

interface MemoryListOptions extends JsonOption {
  readonly scope?: Scope;
  readonly kind?: MemoryKind;
  readonly all?: boolean;
  readonly limit?: number;
}

export const defineList: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand memory list", "what holds now, newest first"],
    ["longhand memory list --scope user=ann,channel=web", "of exactly this scope"],
    ["longhand memory list --kind core --all", "with facts that were replaced or taken back"],
    ["longhand memory list --limit 10", "the newest ten"],
    ["longhand memory list --json | jq -r .text", "for a program"],
  ]);
  command
    .option(
      "--scope <scope>",
      "only of exactly this scope, such as user=ann,channel=web, or global",
      parseScope,
    )
    .addOption(
      new Option("--kind <kind>", "only lasting facts, or only what happened by date").choices([
        "core",
        "daily",
      ]),
    )
    .option("-n, --limit <n>", "only that many, the newest (default: all)", parseCount)
    .option("--all", "superseded and undone entries too, with a column that says so")
    .option("--json", "JSON lines: one entry a line")
    .addHelpText("after", TIMES_HELP)
    .action(async (options: MemoryListOptions) => {
      const surroundings = begin(options);
      const entries = await withMemory(surroundings, async (memory) => readEntries(memory, options));
      tell(entries, options, surroundings);
    });
};

async function readEntries(
  memory: Memory,
  { scope, kind, all = false }: MemoryListOptions,
): Promise<readonly MemoryEntry[]> {
  const entries =
    scope === undefined ? await memory.everything({ all }) : await memory.entries({ scope, all });
  return entries
    .filter((entry) => kind === undefined || entry.kind === kind)
    .sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? 1 : -1));
}

function tell(
  entries: readonly MemoryEntry[] | undefined,
  options: MemoryListOptions,
  surroundings: Surroundings,
): void {
  const { output, json, places } = surroundings;
  const { limit = Infinity } = options;
  if (json) {
    for (const entry of entries?.slice(0, limit) ?? []) output.write(jsonLine(entry));
    return;
  }
  if (entries === undefined) {
    output.write(`${nothingRemembered(surroundings)}\n`);
    return;
  }
  if (entries.length === 0) {
    const { scope, kind, all = false } = options;
    const isPart = scope !== undefined || kind !== undefined;
    output.write(isPart || !all ? "Nothing of that is remembered now" : "Nothing is remembered");
    output.write(` in ${onOneLine(places.memory.path)}.\n`);
    return;
  }
  const shown = entries.slice(0, limit);
  for (const line of tableLines(shown, options.all ?? false, surroundings)) output.write(`${line}\n`);
  if (entries.length > shown.length) {
    output.write(
      output.colors.dim(`${entries.length - shown.length} older not shown; leave out --limit to see all\n`),
    );
  }
}

function tableLines(entries: readonly MemoryEntry[], all: boolean, { output }: Surroundings): string[] {
  const { colors, width } = output;
  const times = timesFor(output);
  const rows = entries.map(({ id, kind, scope, text, at, status }) => [
    id,
    kind,
    formatScope(scope),
    onOneLine(text),
    times.moment(at),
    ...(all ? [status] : []),
  ]);
  const columns: readonly Column[] = [
    { heading: "ID" },
    { heading: "KIND" },
    { heading: "SCOPE" },
    { heading: "TEXT", least: 20 },
    { heading: "SINCE" },
    ...(all ? [{ heading: "STATUS" }] : []),
  ];
  return renderTable({ columns, rows, shrinks: [3] }, width, (cell, row, column) => {
    if (row === -1) return colors.dim(cell);
    if (column === 0) return colors.cyan(cell);
    return entries[row]?.status === "current" ? cell : colors.dim(cell);
  });
}
