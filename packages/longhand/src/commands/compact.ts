/**
 * `longhand compact`: a summary in place of the oldest turns of what the model sees. By hand it is wanted now, so it is done
 * whenever there is something to cut. Nothing is asked: everything stays in the log, and `--undo` takes it back.
 */

import type { Session, SessionInfo, Store } from "@longhand/store";
import type { Compacted, CompactOptions, NotCompacted } from "@longhand/store/context";
import { CommandError } from "../command-error.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES } from "../config/default-limits.ts";
import { compactionThatCuts } from "../sessions/compaction-that-cuts.ts";
import { readSession } from "../sessions/read-session.ts";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { explain, undo } from "./compact-history.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseCount, parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface CompactCommandOptions extends JsonOption, WaitOption {
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly explain?: boolean;
  readonly maxTokens?: number;
  readonly maxMessages?: number;
  readonly keep?: number;
}

const DEFAULT_KEEP = 20;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand compact last --dry-run", "what a summary would stand for"],
    ["longhand compact last", "does it; all of it stays in the log"],
    ["longhand compact my-notes --keep 4", "only the newest turns of four messages at most stay"],
    ["longhand compact my-notes --explain", "which messages each summary stands for"],
    ["longhand compact my-notes --undo", "takes the newest one back"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .option("--dry-run", "says what would be done, and changes nothing")
    .option("--undo", "instead: takes the newest compaction back; what came since stays")
    .option("--explain", "instead: which messages each summary stands for, newest first")
    .option(
      "--keep <n>",
      `so many messages stay, in whole turns (default: ${DEFAULT_KEEP})`,
      parseWholeNumber,
    )
    .option(
      "--max-tokens <n>",
      `only if the view has more tokens (or more than ${DEFAULT_HISTORY_MESSAGES} messages)`,
      parseCount,
    )
    .option(
      "--max-messages <n>",
      `only if the view has more messages (or more than ${DEFAULT_CONTEXT_TOKENS} tokens)`,
      parseCount,
    )
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      "\nThe summary is made without a model: it is how each message begins. The turn that is going on always stays.",
    )
    .action(async (key: string, options: CompactCommandOptions) => {
      checkUsage(options);
      const surroundings = begin(options);
      if (options.explain === true || options.dryRun === true) {
        await readSession(surroundings, key, async (store, info) =>
          (options.explain === true ? explain : plan)(store, info, surroundings, options),
        );
        return;
      }
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) =>
        (options.undo === true ? undo : compact)(store, info, surroundings, options),
      );
    });
};

/** What would be ignored is refused. */
function checkUsage(options: CompactCommandOptions): void {
  const { dryRun, undo: isUndo, explain: isExplain, keep, maxTokens, maxMessages } = options;
  const chosen = [
    ...(dryRun === true ? ["--dry-run"] : []),
    ...(isUndo === true ? ["--undo"] : []),
    ...(isExplain === true ? ["--explain"] : []),
  ];
  if (chosen.length > 1) {
    throw new CommandError("USAGE_INVALID", `give only one of ${chosen.join(" and ")}`);
  }
  const isLimited = keep !== undefined || maxTokens !== undefined || maxMessages !== undefined;
  if (isLimited && (isUndo === true || isExplain === true)) {
    throw new CommandError(
      "USAGE_INVALID",
      `--keep, --max-tokens and --max-messages are for a compaction, not for ${chosen.join("")}`,
    );
  }
}

/** Where a threshold is given it holds, and the usual one for the other measure. */
function optionsOf({ keep = DEFAULT_KEEP, maxTokens, maxMessages }: CompactCommandOptions): CompactOptions {
  return {
    keepMessages: keep,
    force: maxTokens === undefined && maxMessages === undefined,
    ...(maxTokens === undefined ? {} : { maxContextTokens: maxTokens }),
    ...(maxMessages === undefined ? {} : { maxHistoryMessages: maxMessages }),
  };
}

async function plan(
  store: Store,
  info: SessionInfo,
  surroundings: Surroundings,
  options: CompactCommandOptions,
): Promise<void> {
  const { compactSession } = await import("@longhand/store/context");
  const { output, json, toPaste } = surroundings;
  const { key } = info;
  const session = store.session(key);
  const result = await compactSession(session, { ...optionsOf(options), dryRun: true });
  if (result.done) throw new Error("a dry run has compacted");
  const { reason, would, before } = result;
  if (json) {
    output.write(jsonLine({ key, dryRun: true, ...(would === undefined ? { reason } : { would }), before }));
  } else if (would === undefined) await tellUntouched(session, info, reason, surroundings, options);
  else {
    const { from, to, messages } = would;
    const left = info.count - messages;
    output.write(
      `In ${output.colors.cyan(escapeKey(key))} a summary would stand for ${countOf(messages, "message")} (#${from} to #${to}); ${left} would stay.\n` +
        `The view has ${aboutTokens(before.tokens, options)} now. Made without a model, the summary may turn out no shorter; then nothing is done.\n`,
    );
    output.write(output.colors.dim(`To try it: ${toPaste(wordsOf(options), key)}\n`));
  }
}

/** Beyond the threshold they are not counted. */
function aboutTokens(tokens: number, { maxTokens = DEFAULT_CONTEXT_TOKENS }: CompactCommandOptions): string {
  return tokens > maxTokens ? `more than ${maxTokens} tokens` : `about ${countOf(tokens, "token")}`;
}

function wordsOf({ keep, maxTokens, maxMessages }: CompactCommandOptions): string {
  return [
    "compact",
    ...(keep === undefined ? [] : [`--keep ${keep}`]),
    ...(maxTokens === undefined ? [] : [`--max-tokens ${maxTokens}`]),
    ...(maxMessages === undefined ? [] : [`--max-messages ${maxMessages}`]),
  ].join(" ");
}

export async function compact(
  store: Store,
  info: SessionInfo,
  surroundings: Surroundings,
  options: CompactCommandOptions,
): Promise<void> {
  const { compactSession } = await import("@longhand/store/context");
  const { key } = info;
  const session = store.session(key);
  const result = await compactSession(session, optionsOf(options));
  if (surroundings.json) surroundings.output.write(jsonLine({ key, ...result }));
  if (!result.done) {
    if (MEANWHILE.has(result.reason)) surroundings.markFailed();
    if (!surroundings.json) await tellUntouched(session, info, result.reason, surroundings, options);
    return;
  }
  if (!surroundings.json) tell(info, result, surroundings);
}

function tell({ key }: SessionInfo, { messages, from, to, after }: Compacted, given: Surroundings): void {
  const { output, toPaste } = given;
  const shown = output.colors.cyan(escapeKey(key));
  output.write(
    `Compacted ${shown}: a summary stands for ${countOf(messages, "message")} (#${from} to #${to}); ${after.messages} left in the view, with it about ${after.tokens} tokens.\n` +
      "The summary was made without a model: it is how each message begins.\n",
  );
  output.write(
    output.colors.dim(
      `Nothing is deleted. To read it:      ${toPaste("compact --explain", key)}\n` +
        `                    To take it back: ${toPaste("compact --undo", key)}\n`,
    ),
  );
}

/** Not to be met under the lock that this command holds; if they are, it was not done. */
const MEANWHILE: ReadonlySet<NotCompacted["reason"]> = new Set(["changed-meanwhile", "busy"]);

async function tellUntouched(
  session: Session,
  { key, count }: SessionInfo,
  reason: NotCompacted["reason"],
  { output, toPaste }: Surroundings,
  {
    keep = DEFAULT_KEEP,
    maxTokens = DEFAULT_CONTEXT_TOKENS,
    maxMessages = DEFAULT_HISTORY_MESSAGES,
  }: CompactCommandOptions,
): Promise<void> {
  const shown = output.colors.cyan(escapeKey(key));
  switch (reason) {
    case "within-limits":
      output.write(
        `${shown} has ${countOf(count, "message")} in its view, not more than ${maxMessages}, and not more than ${maxTokens} tokens; nothing was done.\n`,
      );
      return;
    case "nothing-to-cut": {
      output.write(
        `There is nothing to cut in ${shown}: of ${countOf(count, "message")} in its view the newest turns stay, ${countOf(keep, "message")} of them at most and the last turn in any case.\n`,
      );
      const advice = await compactionThatCuts(session);
      if (advice !== undefined)
        output.write(output.colors.dim(`To try with fewer: ${toPaste(advice, key)}\n`));
      return;
    }
    case "no-progress":
      output.write(
        `Nothing was done in ${shown}: made without a model, the summary would be no shorter than what it stands for.\n`,
      );
      return;
    case "changed-meanwhile":
    case "busy":
    case "dry-run":
      output.write(`Nothing was done in ${shown}: somebody else is at it. Try again.\n`);
  }
}
