/** `longhand repair`: mends what `longhand verify` reports. The damaged bytes are kept aside. */

import { join } from "node:path";
import type { Damage, VerifyReport } from "@longhand/store";
import { checkNamedStore } from "../sessions/check-named-store.ts";
import { checkSessions, type CheckedSessions } from "../sessions/check-sessions.ts";
import { describeFound, isDamagedPlace } from "../sessions/count-damage.ts";
import { describeDamage, withStoreForWriting } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { repairCommand, writeFindings } from "./verify.ts";

const SHOWN_PLACES = 10;
const NOTHING_DONE = { lost: [], kept: [] };

export interface RepairCommandOptions extends JsonOption {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand repair", "lists the damage, asks, and mends it"],
    ["longhand repair --dry-run", "shows what would be done, and changes nothing"],
    ["longhand repair my-notes --yes", "only this session, without a question"],
  ]);
  command
    .argument("[keys...]", "keys, or parts of keys that no other key has (default: everything)")
    .option("--yes", "do not ask")
    .option("--dry-run", "show what would be done, and change nothing")
    .option(
      "--json",
      "one JSON document: mended, lost (records that are gone), kept (files with the damaged bytes), left",
    )
    .addHelpText(
      "after",
      "\nThe damaged bytes are kept in .longhand/damaged/ of the store. Exits with 1 if damage is left.",
    )
    .action(async (keys: string[], options: RepairCommandOptions) => repair(keys, options, begin(options)));
};

export async function repair(
  keys: readonly string[],
  { yes = false, dryRun = false }: RepairCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, toPaste, places } = surroundings;
  const isStore = await checkNamedStore(places);
  if (!isStore && !json && keys.length === 0) {
    output.write(`No sessions yet in ${escapeLine(places.sessions.path)}.\n`);
    return;
  }
  const before = await checkSessions(surroundings, keys);
  const { damage } = before.report;
  const mendable = damage.filter(({ left }) => left === undefined);
  if (dryRun) {
    tellPlan(keys, mendable, before, surroundings);
    return;
  }
  if (mendable.length === 0) {
    // Nobody is asked whether to do what cannot be done.
    tell([], NOTHING_DONE, before, surroundings);
    return;
  }
  // Who is not asked, and has not said --yes, is refused: then that is at least to be seen.
  if (!yes) {
    if (json) output.write(documentOf([], NOTHING_DONE, before));
    else writeFindings(before, surroundings);
  }
  await confirm(surroundings, {
    question: `Mend ${shareOf(mendable.length, damage)}?`,
    yes,
    command: repairCommand(keys, toPaste, " --yes"),
    because: "it rewrites session files, and keeps the damaged bytes aside",
  });
  const { damage: treated, lost = [], kept = [] } = await mend(before.chosen, surroundings);
  // What a repair says of itself is checked by reading again.
  const after = await checkSessions(surroundings, before.chosen.keys ?? []);
  const left = new Set(after.report.damage.map(placeOf));
  const mended = treated.filter((damage) => !left.has(placeOf(damage)));
  tell(mended, { lost, kept }, withReasons(after, treated), surroundings);
}

/** Who tried to mend a place knows why it was left, such as by whom it is held; who only reads it does not. */
function withReasons(after: CheckedSessions, treated: readonly Damage[]): CheckedSessions {
  const reasons = new Map(treated.map((damage) => [placeOf(damage), damage.reason]));
  const damage = after.report.damage.map((left) => ({
    ...left,
    reason: left.left === undefined ? (reasons.get(placeOf(left)) ?? left.reason) : left.reason,
  }));
  return { ...after, report: { ...after.report, damage } };
}

function placeOf({ file, offset }: Damage): string {
  return `${offset} ${file}`;
}

async function mend(
  chosen: { readonly keys?: readonly string[] },
  surroundings: Surroundings,
): Promise<VerifyReport> {
  return await withProgress(surroundings.output, async (progress) =>
    withStoreForWriting(
      { ...surroundings, output: progress.output },
      async (store) => store.repair({ ...chosen, onProgress: showPercent(progress, "mending") }),
      { onDamage: () => undefined },
    ),
  );
}

type Done = Required<Pick<VerifyReport, "lost" | "kept">>;

function tell(
  mended: readonly Damage[],
  done: Done,
  after: CheckedSessions,
  surroundings: Surroundings,
): void {
  const { output, json } = surroundings;
  const { report, unreadable } = after;
  const left = report.damage.length + unreadable.length;
  if (left > 0) surroundings.markFailed();
  if (json) {
    output.write(documentOf(mended, done, after));
    return;
  }
  const { green, red } = output.colors;
  for (const damage of mended) output.write(`${green("✓")} ${escapeLine(describeDamage(damage))}\n`);
  writeFindings(after, surroundings);
  if (mended.length > 0) {
    output.write(`Mended: ${countOf(mended.length, "damaged place")}.\n`);
    for (const line of doneLines(mended, done)) output.write(`${escapeLine(line)}\n`);
  } else if (left === 0) output.write(`${green("No damage found.")} There is nothing to mend.\n`);
  if (left > 0) output.write(`${red(`Not mended: ${describeFound(after)}.`)}\n`);
}

/** "6 of 9 damaged places": of all that verify counts. */
function shareOf(mendable: number, damage: readonly Damage[]): string {
  const all = damage.filter(isDamagedPlace).length;
  return mendable === all ? countOf(all, "damaged place") : `${mendable} of ${countOf(all, "damaged place")}`;
}

function documentOf(mended: readonly Damage[], done: Done, { report, unreadable }: CheckedSessions): string {
  return jsonLine({ mended, ...done, left: report.damage, unreadable });
}

/** Whatever is found is left, so the exit code is that of `longhand verify`. */
function tellPlan(
  keys: readonly string[],
  mendable: readonly Damage[],
  before: CheckedSessions,
  surroundings: Surroundings,
): void {
  const { output, json, places, toPaste } = surroundings;
  const { report, unreadable } = before;
  if (report.damage.length + unreadable.length > 0) surroundings.markFailed();
  if (json) {
    const left = report.damage.filter((damage) => damage.left !== undefined);
    output.write(jsonLine({ dryRun: true, mendable, left, unreadable }));
    return;
  }
  if (mendable.length === 0) {
    tell([], NOTHING_DONE, before, surroundings);
    return;
  }
  writeFindings(before, surroundings);
  const aside = join(places.sessions.path, ".longhand", "damaged");
  const kept = mendable.some(({ bytes }) => bytes > 0)
    ? `; the damaged bytes would be kept in ${escapeLine(aside)}`
    : "";
  output.write(`${shareOf(mendable.length, report.damage)} would be mended${kept}.\n`);
  const seqs = mendable.filter(({ seq }) => seq !== undefined);
  for (const { key = "", seq = 0 } of seqs)
    output.write(`Record ${seq} of ${escapeKey(key)} would be lost: its bytes are not what was written.\n`);
  if (seqs.length < mendable.length) output.write(`${PERHAPS_LOST}\n`);
  if (mendable.some(({ kind }) => kind === "torn")) output.write(`${PERHAPS_SHORTENED}\n`);
  output.write(output.colors.dim(`To do it: ${repairCommand(keys, toPaste)}\n`));
}

/** Of a place that does not tell which records it had. */
const PERHAPS_LOST =
  "A record that is missing, or that the damaged bytes do not have whole, would be lost unless it was kept aside; its number would not be reused.";
const NOTHING_LOST = "No record that was found is lost.";
/** No checksum tells a file that was cut by hand from one that a crash has left. */
const PERHAPS_SHORTENED =
  "A file ended in the middle of a line. If something other than a crash has cut it, later records are missing: compare it with a backup.";

/** What is gone, and where the bytes are that it may be read from by hand. */
function doneLines(mended: readonly Damage[], { lost, kept }: Done): string[] {
  const places = kept.slice(0, SHOWN_PLACES).map((path) => `  ${path}`);
  const more = kept.length - places.length;
  return [
    ...(lost.length === 0 ? [NOTHING_LOST] : []),
    ...(mended.some(({ kind }) => kind === "torn") ? [PERHAPS_SHORTENED] : []),
    ...lost.map(({ key, first, last }) =>
      first === last
        ? `Record ${first} of ${escapeKey(key)} is lost; its number is not reused.`
        : `Records ${first} to ${last} of ${escapeKey(key)} are lost; their numbers are not reused.`,
    ),
    ...(kept.length === 0 ? [] : ["The damaged bytes are kept:", ...places]),
    ...(more === 0 ? [] : [`  … and ${more} more beside them`]),
  ];
}
