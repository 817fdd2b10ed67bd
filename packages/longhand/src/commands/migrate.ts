/**
 * `longhand migrate`: takes over what other programs left in the directory. Any command that writes does the same at
 * its first opening; this one says what it does, and with `--dry-run` what it would do.
 */

import type { MigrationPlan } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { leftAloneLines, migrationTable, untakenLines } from "../sessions/describe-migration.ts";
import { withStoreForWriting } from "../sessions/with-store.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { withProgress } from "../terminal/progress.ts";
import { renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface MigrateCommandOptions extends JsonOption {
  readonly dryRun?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    [
      "longhand migrate --dry-run --sessions ./sessions",
      "what would be taken over, and what not; changes nothing",
    ],
    [
      "longhand migrate --sessions ./sessions",
      "takes it over; the originals stay, with .migrated at their names",
    ],
  ]);
  command
    .option("--dry-run", "says what would be done, and changes nothing")
    .option("--json", "one JSON document: the sessions, lines not taken over, files left alone")
    .addHelpText(
      "after",
      "\nAll or nothing: if it fails, the originals are as they were. The store does the same by itself when it is\n" +
        "first opened for writing.",
    )
    .action(async ({ dryRun = false, ...options }: MigrateCommandOptions) => migrate(dryRun, begin(options)));
};

export async function migrate(isDryRun: boolean, surroundings: Surroundings): Promise<void> {
  const { output, json, places } = surroundings;
  const { planMigration } = await import("@longhand/store");
  const plan = await withProgress(output, async (progress) => {
    progress.show("looking at the directory");
    const found = await planMigration(places.sessions.path);
    if (found.sessions.length > 0 && !isDryRun) {
      progress.show(`taking over ${countOf(found.sessions.length, "session")}`);
      const given = { ...surroundings, output: progress.output };
      // Opening does it, or fails and leaves everything as it was. Damaged lines are in the plan.
      await withStoreForWriting(given, () => Promise.resolve(), {
        onDamage: () => undefined,
        onMigrated: () => undefined,
      });
      checkNothingIsLeft(await planMigration(places.sessions.path), surroundings);
    }
    return found;
  });
  if (json) {
    const { directory, sessions, leftAlone } = plan;
    output.write(jsonLine({ dryRun: isDryRun, directory, sessions, leftAlone }));
  } else writePlan(plan, isDryRun, surroundings);
}

/** What is said to be done is looked at again. */
function checkNothingIsLeft({ sessions }: MigrationPlan, { toPaste }: Surroundings): void {
  const [first] = sessions;
  if (first === undefined) return;
  const file = first.originals[0]?.name ?? "";
  throw new CommandError(
    "MIGRATION_FAILED",
    `${countOf(sessions.length, "session")} could not be taken over, such as ${escapeLine(file)}; the originals are as they were`,
    {
      detail: { keys: sessions.map(({ key }) => key) },
      remedy: `to look again: ${toPaste("migrate --dry-run")}`,
    },
  );
}

export function writePlan(plan: MigrationPlan, isDryRun: boolean, { output, toPaste }: Surroundings): void {
  const { dim, cyan, yellow } = output.colors;
  const { sessions, directory } = plan;
  if (sessions.length === 0) output.write(`There is nothing to migrate in ${escapeLine(directory)}.\n`);
  else {
    const style = (cell: string, row: number, column: number): string =>
      row === -1 ? dim(cell) : column === 2 ? cyan(cell) : cell;
    for (const line of renderTable(migrationTable(plan), output.width, style)) output.write(`${line}\n`);
  }
  writeLines("Not taken over (the bytes are kept aside):", untakenLines(plan), output, yellow);
  writeLines("Left alone:", leftAloneLines(plan), output, yellow);
  if (sessions.length === 0) return;
  const messages = sessions.reduce((sum, session) => sum + session.messages, 0);
  const what = `${countOf(sessions.length, "session")} with ${countOf(messages, "message")}`;
  if (isDryRun) output.write(`\n${what} would be taken over. To do it: ${toPaste("migrate")}\n`);
  else output.write(`\n${what} taken over; the originals are there still, with .migrated at their names.\n`);
}

function writeLines(
  heading: string,
  lines: readonly string[],
  output: Surroundings["output"],
  color: (text: string) => string,
): void {
  if (lines.length === 0) return;
  output.write(`\n${color(heading)}\n`);
  for (const line of lines) output.write(`  ${line}\n`);
}
