/** `longhand verify`: reads everything and reports what is damaged. Changes nothing. */

import { checkSessions, type CheckedSessions } from "../sessions/check-sessions.ts";
import { damageRemedy } from "../sessions/damage-remedy.ts";
import { adviseUnreadable } from "../sessions/unreadable-session.ts";
import { describeDamage } from "../sessions/with-store.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand verify", "every line of every session, archived and trashed ones too"],
    ["longhand verify my-notes last", "only these"],
    ["longhand verify --json | jq .damage", "for a program"],
  ]);
  command
    .argument("[keys...]", "keys, or parts of keys that no other key has (default: everything)")
    .option("--json", "one JSON document: sessions, records, damage")
    .addHelpText("after", "\nExits with 1 if there is damage, or a session that cannot be read.")
    .action(async (keys: string[], options: JsonOption) => verify(keys, begin(options)));
};

export async function verify(keys: readonly string[], surroundings: Surroundings): Promise<void> {
  const { output, json, toPaste } = surroundings;
  const checked = await checkSessions(surroundings, keys);
  const { report, unreadable } = checked;
  const isWell = report.damage.length === 0 && unreadable.length === 0;
  if (!isWell) surroundings.markFailed();
  if (json) {
    output.write(jsonLine({ ...report, unreadable }));
    return;
  }
  const { green, dim } = output.colors;
  const read = `${countOf(report.records, "record")} in ${countOf(report.sessions, "session")} read`;
  if (isWell) {
    output.write(`${green("No damage found.")} ${read}.\n`);
    return;
  }
  writeFindings(checked, surroundings);
  output.write(`${read}; ${countOf(report.damage.length, "damaged place")}.\n`);
  if (report.damage.some(({ left }) => left === undefined))
    output.write(dim(`To mend what can be mended: ${toPaste("repair")}\n`));
}

/** Each with what to do where that is not a repair. */
export function writeFindings(
  { report, unreadable }: CheckedSessions,
  { output, toPaste }: Pick<Surroundings, "output" | "toPaste">,
): void {
  const { red, dim } = output.colors;
  for (const damage of report.damage) {
    output.write(`${red("•")} ${escapeLine(describeDamage(damage))}\n`);
    if (damage.left !== undefined)
      output.write(`  ${dim(escapeLine(`what to do: ${damageRemedy(damage, toPaste)}`))}\n`);
  }
  for (const session of unreadable) output.write(`${red("•")} ${escapeLine(adviseUnreadable(session))}\n`);
}
