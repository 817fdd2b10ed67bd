/**
 * `longhand undo`: takes the newest messages out of the view. Nothing is deleted: an undo is one more record, and going
 * back to the view before it undoes the undo.
 */

import type { SessionInfo, SessionRecord, Store } from "@longhand/store";
import type { Reconciled } from "@longhand/store/memory";
import { CommandError } from "../command-error.ts";
import { firstAffected } from "../sessions/first-affected.ts";
import { reconcileMemory } from "../sessions/reconcile-memory.ts";
import { reconciledLines } from "../sessions/reconciled-lines.ts";
import { warnIfLost } from "../sessions/warn-if-lost.ts";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { renderTranscript } from "../terminal/transcript.ts";
import { addExamples } from "./add-examples.ts";
import { KEY_HELP } from "./key-help.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { parseWholeNumber } from "./parse-whole-number.ts";
import { waysBack } from "./ways-back.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface UndoCommandOptions extends JsonOption, WaitOption {
  readonly to?: number;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand undo last", "takes the newest message out of the view"],
    ["longhand undo my-notes 3", "the newest three"],
    ["longhand undo my-notes --to 12", "back to the view as it was after record 12"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .argument("[n]", "how many messages (default: 1)", parseWholeNumber)
    .option(
      "--to <seq>",
      "instead: the view as it was after that record; also undoes an undo",
      parseWholeNumber,
    )
    .option(
      "--json",
      "one JSON document: key, seq, count, what was undone, and what that changed in the memory",
    )
    .action(async (key: string, count: number | undefined, options: UndoCommandOptions) => {
      if (count !== undefined && options.to !== undefined) {
        throw new CommandError("USAGE_INVALID", "give either a number of messages or --to, not both");
      }
      const surroundings = begin(options);
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) => {
        if (options.to === undefined) await undo(store, info, count ?? 1, surroundings);
        else await goBackTo(store, info, options.to, surroundings);
      });
    });
};

export async function undo(
  store: Store,
  info: SessionInfo,
  count: number,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json } = surroundings;
  const session = store.session(info.key);
  const undone: SessionRecord[] = [];
  for await (const record of session.records({ live: true, last: count })) undone.push(record);
  if (undone.length === 0) {
    throw new CommandError(
      "NOTHING_TO_UNDO",
      `there is nothing to undo in ${escapeKey(info.key)}: ${count === 0 ? "0 messages were asked for" : "its view has no messages"}`,
    );
  }
  // What is printed as undone is exactly what is undone, also when somebody writes meanwhile.
  const { seq } = await session.rewind({ messages: undone.length }, { expectedSeq: info.seq });
  const left = (await session.state())?.count ?? 0;
  const reconciled = await reconcileMemory(surroundings, session, undone[0]?.seq ?? seq);
  if (json) {
    output.write(jsonLine({ key: info.key, seq, count: left, undone, memory: reconciled }));
    return;
  }
  const { colors } = output;
  const shown = colors.cyan(escapeKey(info.key));
  output.write(`Undone in ${shown}: ${countOf(undone.length, "message")}; ${left} in the view now.\n`);
  if (undone.length < count) {
    output.write(
      `${count} were asked for; there ${undone.length === 1 ? "was" : "were"} only ${undone.length}.\n`,
    );
  }
  if (left > info.count - undone.length) {
    output.write("A cut of the view that came after them is undone with them.\n");
  }
  output.write("\n");
  const style = { width: readableWidth(output), colors, times: timesFor(output), all: false, full: false };
  for await (const line of renderTranscript(allLive(undone), style)) output.write(`${line}\n`);
  writeReconciled(reconciled, surroundings);
  output.write(waysBack(info, surroundings));
}

async function goBackTo(
  store: Store,
  info: SessionInfo,
  to: number,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json } = surroundings;
  if (to > info.seq) {
    throw new CommandError(
      "USAGE_INVALID",
      `--to ${to}: the newest record of ${escapeKey(info.key)} is ${info.seq}`,
      { detail: { key: info.key, option: "--to", least: 0, most: info.seq } },
    );
  }
  const session = store.session(info.key);
  await warnIfLost(session, to, surroundings);
  const undone: SessionRecord[] = [];
  if (to < info.seq) {
    for await (const record of session.records({ live: true, from: to + 1 })) undone.push(record);
  }
  const first = to < info.seq ? await firstAffected(session, to) : to + 1;
  const { seq } = await session.rewind({ to }, { expectedSeq: info.seq });
  const count = (await session.state())?.count ?? 0;
  const reconciled = await reconcileMemory(surroundings, session, first);
  if (json) output.write(jsonLine({ key: info.key, seq, count, undone, memory: reconciled }));
  else {
    output.write(
      `${output.colors.cyan(escapeKey(info.key))} is as it was after #${to}: ${countOf(count, "message")} in the view, before ${info.count}.\n`,
    );
    writeReconciled(reconciled, surroundings);
  }
}

function writeReconciled(reconciled: Reconciled, { output, toPaste }: Surroundings): void {
  for (const line of reconciledLines(reconciled, toPaste)) output.write(`${line}\n`);
}

async function* allLive(
  records: readonly SessionRecord[],
): AsyncIterable<{ readonly record: SessionRecord; readonly isLive: boolean }> {
  for (const record of records) yield await Promise.resolve({ record, isLive: true });
}
