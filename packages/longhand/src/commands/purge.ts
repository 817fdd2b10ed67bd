/** `longhand purge`: empties the trash. Says first what would go. */

import type { SessionInfo, Store } from "@longhand/store";
import { checkNamedDirectory } from "../sessions/check-named-store.ts";
import { withStoreForReading, withStoreForWriting } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import { MOMENT_HELP, parseMoment } from "./parse-moment.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface PurgeCommandOptions extends JsonOption {
  readonly before?: Date;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand purge --dry-run", "what is in the trash"],
    ["longhand purge --before 30d", "what was deleted more than 30 days ago goes for good; asks first"],
    ["longhand purge --yes", "all of it, without a question"],
  ]);
  command
    .option("--before <moment>", `only what was deleted before: ${MOMENT_HELP}`, (text) => parseMoment(text))
    .option("--dry-run", "says what would go, and changes nothing")
    .option("--yes", "do not ask")
    .option("--json", "one JSON document: the sessions that went, or would go")
    .action(async (options: PurgeCommandOptions) => purge(options, begin(options)));
};

export async function purge(options: PurgeCommandOptions, surroundings: Surroundings): Promise<void> {
  const { output, json, toPaste } = surroundings;
  const { dryRun = false, yes = false } = options;
  // What is deleted after the question was asked was not asked about.
  const before = options.before ?? output.now();
  await checkNamedDirectory(surroundings.places);
  const found = await withStoreForReading(surroundings, async (store) => inTrash(store, before));
  if (found.length === 0 || dryRun) {
    tell(found, options, surroundings, true);
    return;
  }
  if (!json && !yes) writeTable(found, surroundings);
  const words =
    options.before === undefined ? "purge --yes" : `purge --yes --before ${options.before.toISOString()}`;
  await confirm(surroundings, {
    question: `Delete ${describe(found)} for good?`,
    yes,
    command: toPaste(words),
  });
  const gone = await withStoreForWriting(surroundings, async (store) => store.purge({ before }));
  tell(gone, options, surroundings, false);
}

async function inTrash(store: Store, before: Date): Promise<readonly SessionInfo[]> {
  return await store.purge({ before, dryRun: true });
}

function tell(
  sessions: readonly SessionInfo[],
  { before }: PurgeCommandOptions,
  surroundings: Surroundings,
  isDryRun: boolean,
): void {
  const { output, json, toPaste } = surroundings;
  if (json) {
    const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
    output.write(jsonLine({ dryRun: isDryRun, bytes, sessions }));
    return;
  }
  const since =
    before === undefined ? "" : ` that was deleted before ${timesFor(output).moment(before.toISOString())}`;
  if (sessions.length === 0) {
    output.write(`There is nothing in the trash${since}.\n`);
    return;
  }
  if (!isDryRun) {
    output.write(`Deleted for good: ${describe(sessions)}.\n`);
    return;
  }
  writeTable(sessions, surroundings);
  output.write(`${describe(sessions)} would go.\n`);
  output.write(output.colors.dim(`To bring one back: ${toPaste("restore KEY")}\n`));
}

function writeTable(sessions: readonly SessionInfo[], { output }: Surroundings): void {
  const times = timesFor(output);
  const columns: readonly Column[] = [
    { heading: "KEY", most: 40, whole: true },
    { heading: "MESSAGES", align: "right" },
    { heading: "UPDATED" },
    { heading: "SIZE", align: "right" },
    { heading: "ID" },
  ];
  const rows = sessions.map(({ key, count, updated, bytes, id }) => [
    escapeKey(key),
    String(count),
    times.moment(updated),
    formatBytes(bytes),
    id,
  ]);
  const { dim, cyan } = output.colors;
  const style = (cell: string, row: number, column: number): string =>
    row === -1 ? dim(cell) : column === 0 ? cyan(cell) : cell;
  for (const line of renderTable({ columns, rows, shrinks: [], drops: [3, 1, 2, 4] }, output.width, style))
    output.write(`${line}\n`);
}

function describe(sessions: readonly SessionInfo[]): string {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  return `${countOf(sessions.length, "session")} (${formatBytes(bytes)})`;
}
