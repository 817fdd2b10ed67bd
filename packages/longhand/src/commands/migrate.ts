/** `longhand migrate`: takes over the sessions of other programs in a directory, and takes that back. Shows the plan and asks. */

import { resolve } from "node:path";
import type { Migrated, MigrationPlan } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { checkNamedDirectory } from "../sessions/check-named-store.ts";
import { leftAloneLines, migrationTable, untakenLines } from "../sessions/describe-migration.ts";
import { warner } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { inStore } from "../terminal/command-to-paste.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { withProgress } from "../terminal/progress.ts";
import { renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { undoMigrated } from "./undo-migrated.ts";

export interface MigrateCommandOptions extends JsonOption {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly undo?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand migrate ./sessions --dry-run", "show what would be taken over, and what not; changes nothing"],
    ["longhand migrate ./sessions", "show it, ask, take it over; the originals get the suffix .migrated"],
    [
      "longhand migrate ./sessions --undo",
      "bring the originals back, if the new sessions were not written to",
    ],
  ]);
  command
    .argument("[dir]", "the directory (default: that of --sessions, else the workspace's sessions)")
    .option("--dry-run", "show what would be done, and change nothing")
    .option("--yes", "do not ask")
    .option("--undo", "take a migration back")
    .option("--json", "one JSON document: the sessions, lines not taken over, files left alone")
    .addHelpText(
      "after",
      "\nAll or nothing: if it fails, the originals are as they were. Only files that have every mark of a session of\n" +
        "PicoClaw, ZeroClaw or the Go micro-kernel are taken over; what only looks like one is listed and left alone.",
    )
    .action(async (dir: string | undefined, options: MigrateCommandOptions) => {
      const given = inDirectory(dir, begin(options));
      await checkNamedDirectory(given.places);
      await (options.undo === true ? undoMigrated(options, given) : migrate(options, given));
    });
};

/** With the argument in the place of --sessions, in what is advised too. */
function inDirectory(dir: string | undefined, given: Surroundings): Surroundings {
  if (dir === undefined) return given;
  const { places, currentDirectory } = given;
  if (places.sessions.source === "option")
    throw new CommandError("USAGE_INVALID", "give the directory once: as an argument, or with --sessions");
  const path = resolve(currentDirectory, dir);
  return {
    ...given,
    places: { ...places, sessions: { path, source: "option", why: "the directory given" } },
    toPaste: (words, key) =>
      words.startsWith("migrate") ? given.toPaste(words, dir) : inStore(given.toPaste, dir)(words, key),
  };
}

export async function migrate(
  { dryRun = false, yes = false }: MigrateCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, places, toPaste } = surroundings;
  const { planMigration } = await import("@longhand/store");
  const plan = await withProgress(output, async (progress) => {
    progress.show("looking at the directory");
    return await planMigration(places.sessions.path);
  });
  const isNothing = plan.sessions.length === 0 && !plan.unfinished;
  if (dryRun || isNothing) {
    if (json) output.write(documentOf(plan, dryRun, undefined));
    else writePlan(plan, surroundings);
    if (!json && !isNothing)
      output.write(`\n${whatOf(plan)} would be taken over. To do it: ${toPaste("migrate")}\n`);
    return;
  }
  if (!json) writePlan(plan, surroundings);
  await confirm(surroundings, {
    question: `Take over ${whatOf(plan)}?`,
    because: "this renames files",
    yes,
    command: toPaste("migrate --yes"),
  });
  const migrated = await perform(plan, surroundings);
  if (json) {
    output.write(documentOf(plan, false, migrated));
    return;
  }
  output.write(
    `\nTaken over: ${countOf(migrated.keys.length, "session")}. The originals are kept, with .migrated at their names.\n`,
  );
  output.write(output.colors.dim(`To take it back: ${toPaste("migrate --undo")}\n`));
}

async function perform(plan: MigrationPlan, surroundings: Surroundings): Promise<Migrated> {
  const { output, places } = surroundings;
  const { migrate: takeOver, planMigration } = await import("@longhand/store");
  return await withProgress(output, async (progress) => {
    progress.show(`taking over ${countOf(plan.sessions.length, "session")}`);
    const warn = warner({ ...surroundings, output: progress.output });
    const migrated = await takeOver(places.sessions.path, {
      // Damaged lines and files left alone are in the plan.
      onDamage: () => undefined,
      onForeign: () => undefined,
      onError: ({ code, message }) => warn(code, message, {}),
    });
    checkNothingIsLeft(await planMigration(places.sessions.path), surroundings);
    return migrated;
  });
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

function documentOf(plan: MigrationPlan, dryRun: boolean, migrated: Migrated | undefined): string {
  const { directory, sessions, leftAlone, unfinished } = plan;
  const done = migrated === undefined ? {} : { migrated };
  return jsonLine({ dryRun, directory, sessions, leftAlone, unfinished, ...done });
}

export function writePlan(plan: MigrationPlan, { output }: Pick<Surroundings, "output">): void {
  const { dim, cyan, yellow } = output.colors;
  const { sessions, directory, unfinished } = plan;
  if (unfinished) output.write("A migration was interrupted here; it is done again from the originals.\n");
  else if (sessions.length === 0) output.write(`There is nothing to migrate in ${escapeLine(directory)}.\n`);
  if (sessions.length > 0) {
    const style = (cell: string, row: number, column: number): string =>
      row === -1 ? dim(cell) : column === 2 ? cyan(cell) : cell;
    for (const line of renderTable(migrationTable(plan), output.width, style)) output.write(`${line}\n`);
  }
  writeLines("Not taken over (the bytes are kept aside):", untakenLines(plan), output, yellow);
  writeLines("Left alone:", leftAloneLines(plan), output, yellow);
}

function whatOf({ sessions, unfinished }: MigrationPlan): string {
  if (unfinished && sessions.length === 0) return "what was interrupted";
  const messages = sessions.reduce((sum, session) => sum + session.messages, 0);
  return `${countOf(sessions.length, "session")} with ${countOf(messages, "message")}`;
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
