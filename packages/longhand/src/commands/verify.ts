/** `longhand verify`: reads everything and reports what is damaged. Changes nothing. */

import { CommandError } from "../command-error.ts";
import { checkNamedDirectory, checkNamedStore } from "../sessions/check-named-store.ts";
import { checkSessions, type CheckedSessions } from "../sessions/check-sessions.ts";
import { describeFound } from "../sessions/count-damage.ts";
import { damageRemedy } from "../sessions/damage-remedy.ts";
import { findStores } from "../sessions/find-stores.ts";
import { adviseUnreadable } from "../sessions/unreadable-session.ts";
import { describeDamage } from "../sessions/with-store.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { inStore } from "../terminal/command-to-paste.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

interface VerifyCommandOptions extends JsonOption {
  readonly all?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand verify", "every line of every session, archived and trashed ones too"],
    ["longhand verify my-notes last", "only these"],
    ["longhand verify --all", "the sessions and the memory of every workspace"],
    ["longhand verify --all --home ~/longhand-backup", "of a copy of the home"],
    ["longhand verify --json | jq .damage", "for a program"],
  ]);
  command
    .argument("[keys...]", "keys, or parts of keys that no other key has (default: everything)")
    .option("--all", "every store of the home: the sessions and the memory of all workspaces and agents")
    .option(
      "--json",
      "one JSON document: sessions, records, damage, unreadable; with --all one for each store, a line each",
    )
    .addHelpText("after", "\nReads only. Exits with 1 if there is damage, or a session that cannot be read.")
    .action(async (keys: string[], options: VerifyCommandOptions) => {
      const surroundings = begin(options);
      if (options.all === true) await verifyAll(keys, surroundings);
      else await verify(keys, surroundings);
    });
};

async function verifyAll(keys: readonly string[], surroundings: Surroundings): Promise<void> {
  const { output, places, toPaste } = surroundings;
  if (keys.length > 0) throw new CommandError("USAGE_INVALID", "--all is every session: give no key with it");
  if (places.sessions.source === "option")
    throw new CommandError("USAGE_INVALID", "give either --all or --sessions, not both");
  await checkNamedDirectory(places);
  const stores = await findStores(places.home.path);
  if (stores.length === 0 && places.home.source === "option")
    throw new CommandError("STORE_NOT_FOUND", `${escapeLine(places.home.path)} holds no store`);
  if (stores.length === 0 && !surroundings.json)
    output.write(`No sessions yet in ${escapeLine(places.home.path)}.\n`);
  for (const store of stores) {
    if (!surroundings.json) output.write(`${output.colors.bold(escapeLine(store))}\n`);
    await verifyStore(
      [],
      {
        ...surroundings,
        places: { ...places, sessions: { path: store, source: "option", why: "--all" } },
        toPaste: inStore(toPaste, store),
      },
      { store },
    );
  }
}

export async function verify(keys: readonly string[], surroundings: Surroundings): Promise<void> {
  const { output, places, json } = surroundings;
  const isStore = await checkNamedStore(places);
  if (isStore || json || keys.length > 0) await verifyStore(keys, surroundings, {});
  else output.write(`No sessions yet in ${escapeLine(places.sessions.path)}.\n`);
}

async function verifyStore(
  keys: readonly string[],
  surroundings: Surroundings,
  named: { readonly store?: string },
): Promise<void> {
  const { output, json, toPaste } = surroundings;
  const checked = await checkSessions(surroundings, keys);
  const { report, unreadable } = checked;
  const isWell = report.damage.length === 0 && unreadable.length === 0;
  if (!isWell) surroundings.markFailed();
  if (json) {
    output.write(jsonLine({ ...named, ...report, unreadable }));
    return;
  }
  const { green, dim } = output.colors;
  const read = `${countOf(report.records, "record")} in ${countOf(report.sessions, "session")} read`;
  for (const { file, key } of checked.settled) {
    const what = `${file}: ${escapeKey(key)} has every record that can be read in it; a repair does not need it, and it may be moved out of the store`;
    output.write(`${dim(escapeLine(what))}\n`);
  }
  if (isWell) {
    output.write(`${green("No damage found.")} ${read}.\n`);
    return;
  }
  writeFindings(checked, surroundings);
  output.write(`${read}; ${describeFound(checked)}.\n`);
  if (report.damage.some(({ left }) => left === undefined))
    output.write(dim(`To mend what can be mended: ${repairCommand(keys, toPaste)}\n`));
}

/** Of the sessions that this command was given. */
export function repairCommand(
  keys: readonly string[],
  toPaste: Surroundings["toPaste"],
  option = "",
): string {
  const dashes = keys.some((key) => key.startsWith("-")) ? ["--"] : [];
  return [toPaste(`repair${option}`), ...dashes, ...keys.map(shellQuote)].join(" ");
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
