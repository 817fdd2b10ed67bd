/** `longhand reclaim`: compresses what is no longer written to. Drops old records only when asked to, and asks back. */

import { InvalidArgumentError } from "commander";
import type { DroppedRecords, Reclaimed, ReclaimOptions, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { readAmongForeign } from "../sessions/foreign-sessions.ts";
import { chooseKeys } from "../sessions/choose-keys.ts";
import { withStoreForReading, withStoreForWriting } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { formatBytes } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { addExamples } from "./add-examples.ts";
import { MOMENT_HELP, parseMoment } from "./parse-moment.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface ReclaimCommandOptions extends JsonOption {
  readonly dropBefore?: Date | number;
  readonly seal?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand reclaim", "compresses the sealed parts of all sessions; every record stays"],
    ["longhand reclaim --dry-run", "what that would save"],
    ["longhand reclaim --seal", "also compresses short sessions, which have no sealed part yet"],
    ["longhand reclaim my-notes --drop-before 365d", "drops old records of one session for good; asks first"],
  ]);
  command
    .argument("[keys...]", "keys, or parts of keys that no other key has (default: everything)")
    .option(
      "--drop-before <moment or seq>",
      `also drops sealed parts that end before it. A seq, or ${MOMENT_HELP}`,
      parseBound,
    )
    .option("--seal", "seals the active file of each session first, however short it is")
    .option("--dry-run", "says what would come of it, and changes nothing")
    .option("--yes", "do not ask before dropping")
    .option("--json", "one JSON document: bytesBefore, bytesAfter, and the records that were dropped")
    .addHelpText(
      "after",
      "\nOnly whole sealed parts are dropped, and a line in the session says what went; a seq needs a key. A session's file is sealed when it has 64 MiB, or with --seal.",
    )
    .action(async (keys: string[], options: ReclaimCommandOptions) => reclaim(keys, options, begin(options)));
};

export async function reclaim(
  wanted: readonly string[],
  options: ReclaimCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { toPaste } = surroundings;
  const { dropBefore, seal = false, dryRun = false, yes = false } = options;
  if (typeof dropBefore === "number" && wanted.length === 0) {
    // The same number means another moment in each session.
    throw new CommandError(
      "USAGE_INVALID",
      "--drop-before with a seq needs the key of a session; or give a date",
    );
  }
  const chosen = await readAmongForeign(
    surroundings,
    async (store) =>
      (await isEmpty(store)) && wanted.length === 0 ? undefined : chooseKeys(store, wanted, surroundings),
    { onDamage: () => undefined, onUnreadable: () => undefined },
  );
  if (chosen === undefined) {
    // Opening for writing would make a store.
    tell({ bytesBefore: 0, bytesAfter: 0 }, options, surroundings);
    return;
  }
  const drop = dropBefore === undefined ? {} : { drop: { before: dropBefore } };
  const perform = async (isDryRun: boolean): Promise<Reclaimed> =>
    reclaimWithProgress({ ...chosen, ...drop, seal, dryRun: isDryRun }, surroundings);
  if (dropBefore !== undefined && !dryRun) {
    const { bytesBefore, bytesAfter, dropped = [] } = await perform(true);
    if (!surroundings.json && !yes) writeDropped(dropped, "would be dropped", surroundings);
    const words = [
      "reclaim --yes",
      ...(seal ? ["--seal"] : []),
      `--drop-before ${boundText(dropBefore)}`,
      ...wanted.map(shellQuote),
    ];
    await confirm(surroundings, {
      question: `Drop records before ${shownBound(dropBefore, surroundings)} for good (${formatBytes(bytesBefore)} → ${formatBytes(bytesAfter)})?`,
      yes,
      command: toPaste(words.join(" ")),
    });
  }
  tell(await perform(dryRun), options, surroundings);
}

async function isEmpty(store: Store): Promise<boolean> {
  const sessions = store.list({ status: "any", limit: 1 })[Symbol.asyncIterator]();
  return (await sessions.next()).done === true;
}

async function reclaimWithProgress(options: ReclaimOptions, surroundings: Surroundings): Promise<Reclaimed> {
  return await withProgress(surroundings.output, async (progress) => {
    const onProgress = showPercent(progress, options.dryRun === true ? "measuring" : "reclaiming");
    const open = options.dryRun === true ? withStoreForReading : withStoreForWriting;
    return await open({ ...surroundings, output: progress.output }, async (store) =>
      store.reclaim({ ...options, onProgress }),
    );
  });
}

function tell(
  { bytesBefore, bytesAfter, dropped = [] }: Reclaimed,
  { dryRun = false, seal = false, dropBefore }: ReclaimCommandOptions,
  surroundings: Surroundings,
): void {
  const { output, json } = surroundings;
  if (json) {
    output.write(jsonLine({ dryRun, seal, bytesBefore, bytesAfter, dropped }));
    return;
  }
  if (dropBefore !== undefined)
    writeDropped(dropped, dryRun ? "would be dropped" : "dropped for good", surroundings);
  const sizes = `${formatBytes(bytesBefore)} → ${formatBytes(bytesAfter)}`;
  if (bytesBefore === bytesAfter)
    output.write(`There is nothing to reclaim (${formatBytes(bytesBefore)}).\n`);
  else
    output.write(
      `${dryRun ? "Would reclaim" : "Reclaimed"} ${formatBytes(bytesBefore - bytesAfter)}: ${sizes}.\n`,
    );
}

function writeDropped(
  dropped: readonly DroppedRecords[],
  what: "would be dropped" | "dropped for good",
  { output }: Surroundings,
): void {
  const { cyan } = output.colors;
  for (const { key, first, last, bytes } of dropped) {
    const records = first === last ? `record ${first}` : `records ${first} to ${last}`;
    output.write(`${cyan(escapeKey(key))}: ${records} (${formatBytes(bytes)}) ${what}.\n`);
  }
  if (dropped.length === 0)
    output.write(
      "No whole sealed part ends before that: nothing to drop (--seal seals short sessions first).\n",
    );
}

function parseBound(text: string): Date | number {
  if (!/^\d+$/.test(text)) return parseMoment(text);
  const seq = Number(text);
  if (Number.isSafeInteger(seq) && seq >= 1) return seq;
  throw new InvalidArgumentError("A seq must be a whole number from 1 on.");
}

function boundText(bound: Date | number): string {
  return typeof bound === "number" ? String(bound) : bound.toISOString();
}

function shownBound(bound: Date | number, { output }: Surroundings): string {
  return typeof bound === "number" ? `#${bound}` : timesFor(output).moment(bound.toISOString());
}
