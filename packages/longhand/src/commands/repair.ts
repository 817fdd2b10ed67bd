/** `longhand repair`: mends what `longhand verify` reports. The damaged bytes are kept aside. */

import type { Damage, VerifyReport } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { checkSessions, type CheckedSessions } from "../sessions/check-sessions.ts";
import { describeForeign, findForeign, type ForeignSessions } from "../sessions/foreign-sessions.ts";
import { describeDamage, withStoreForWriting } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { showPercent, startProgress } from "../terminal/progress.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { writeFindings } from "./verify.ts";

export interface RepairCommandOptions extends JsonOption {
  readonly yes?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand repair", "says what is damaged, asks, and mends it"],
    ["longhand repair my-notes --yes", "only this session, without a question"],
  ]);
  command
    .argument("[keys...]", "keys, or parts of keys that no other key has (default: everything)")
    .option("--yes", "do not ask")
    .option("--json", "one JSON document: what was mended, and what is left")
    .addHelpText(
      "after",
      "\nThe damaged bytes are kept in .longhand/damaged/ of the store. Exits with 1 if damage is left.",
    )
    .action(async (keys: string[], options: RepairCommandOptions) => repair(keys, options, begin(options)));
};

export async function repair(
  keys: readonly string[],
  { yes = false }: RepairCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { json, toPaste } = surroundings;
  refuseToMigrate(await findForeign(surroundings.places.sessions.path), surroundings);
  const before = await checkSessions(surroundings, keys);
  const { damage } = before.report;
  if (damage.length === 0) {
    tell([], before, surroundings);
    return;
  }
  if (!json && !yes) writeFindings(before, surroundings);
  await confirm(surroundings, {
    question: `Mend ${countOf(damage.length, "damaged place")}?`,
    yes,
    command: toPaste(["repair --yes", ...keys.map(shellQuote)].join(" ")),
  });
  const { damage: treated } = await mend(before.chosen, surroundings);
  // What a repair says of itself is checked by reading again.
  const after = await checkSessions(surroundings, before.chosen.keys ?? []);
  const left = new Set(after.report.damage.map(placeOf));
  const mended = treated.filter((damage) => !left.has(placeOf(damage)));
  tell(mended, withReasons(after, treated), surroundings);
}

/** Mending opens the store for writing, and that takes foreign sessions over: nobody asked for it here. */
function refuseToMigrate({ count }: ForeignSessions, { toPaste }: Surroundings): void {
  if (count === 0) return;
  throw new CommandError(
    "MIGRATION_PENDING",
    `${describeForeign(count)}, and to mend something would migrate them too; nothing was changed. Migrate them first, or move them away`,
    { detail: { sessions: count }, remedy: `what would become of them: ${toPaste("migrate --dry-run")}` },
  );
}

/** Who tried to mend a place knows why it was left, such as by whom it is held; who only reads it does not. */
function withReasons(after: CheckedSessions, treated: readonly Damage[]): CheckedSessions {
  const reasons = new Map(treated.map((damage) => [placeOf(damage), damage.reason]));
  const damage = after.report.damage.map((left) => ({
    ...left,
    reason: reasons.get(placeOf(left)) ?? left.reason,
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
  const progress = startProgress(surroundings.output);
  try {
    return await withStoreForWriting(
      surroundings,
      async (store) => store.repair({ ...chosen, onProgress: showPercent(progress, "mending") }),
      { onDamage: () => undefined },
    );
  } finally {
    progress.end();
  }
}

function tell(mended: readonly Damage[], after: CheckedSessions, surroundings: Surroundings): void {
  const { output, json, toPaste } = surroundings;
  const { report, unreadable } = after;
  const left = report.damage.length + unreadable.length;
  if (left > 0) surroundings.markFailed();
  if (json) {
    output.write(jsonLine({ mended, left: report.damage, unreadable }));
    return;
  }
  const { green, red, dim } = output.colors;
  for (const damage of mended) output.write(`${green("✓")} ${escapeLine(describeDamage(damage))}\n`);
  writeFindings(after, surroundings);
  if (mended.length > 0) {
    output.write(`Mended: ${countOf(mended.length, "damaged place")}; the damaged bytes are kept aside.\n`);
  } else if (left === 0) output.write(`${green("No damage found.")} There is nothing to mend.\n`);
  if (left > 0) {
    output.write(`${red(`${countOf(left, "problem")} could not be mended.`)}\n`);
    output.write(dim(`What to do: ${toPaste("doctor")}\n`));
  }
}
