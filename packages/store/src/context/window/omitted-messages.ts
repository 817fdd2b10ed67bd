import type { Message } from "../../format/message.ts";
import type { LoggedMessage } from "../turns.ts";
import type { HistoryRepair, OmittedMessages, SeqRange } from "../types.ts";
import type { SkippedSteps } from "./read-turns.ts";

/** The messages of the view that can be shown: all except the system messages with which it begins. */
export interface LiveRange {
  readonly from: number;
  readonly to: number;
  /** Of the first message in it. `undefined`: there is none. */
  readonly firstSeq: number | undefined;
  readonly messages: number;
}

/** The turns of a window before and after the repair. */
export interface RepairedTurns<M extends Message> {
  readonly history: readonly LoggedMessage<M>[];
  readonly body: readonly LoggedMessage<M>[];
  readonly repairs: readonly HistoryRepair[];
}

interface Run extends SeqRange {
  readonly messages: number;
}

/** The messages of the view that the request does not have, and for which nothing in the turns stands. */
export function omittedMessages<M extends Message>(
  turns: RepairedTurns<M>,
  skipped: SkippedSteps | undefined,
  live: LiveRange,
): OmittedMessages | undefined {
  const unfit = [...earlierThan(turns, skipped, live), ...withoutMark(turns, skipped)];
  const unmatched = turns.repairs.filter(isLeftOut).map(({ seq }) => ({ from: seq, to: seq, messages: 1 }));
  const all = [...unfit, ...unmatched].sort((one, other) => one.from - other.from);
  const [first] = all;
  if (first === undefined) return undefined;
  return {
    messages: countIn(all),
    from: first.from,
    to: Math.max(...all.map(({ to }) => to)),
    records: joined(all),
    unfit: countIn(unfit),
  };
}

/** An empty message is left out too, but nothing is missing without it. */
function isLeftOut({ kind }: HistoryRepair): boolean {
  return kind === "orphan-result" || kind === "second-result";
}

/** Messages that cannot be read count too: they are not shown, either. */
function earlierThan<M extends Message>(
  { history }: RepairedTurns<M>,
  skipped: SkippedSteps | undefined,
  { firstSeq, messages }: LiveRange,
): Run[] {
  const firstHeld = history[0]?.seq;
  if (firstSeq === undefined || firstHeld === undefined) return [];
  // Steps are skipped behind the question of their turn; a turn without a question begins with them.
  const firstOfTurns = Math.min(firstHeld, skipped?.firstSeq ?? firstHeld);
  if (firstOfTurns <= firstSeq) return [];
  const inTurns = history.length + (skipped?.messages ?? 0);
  return [{ from: firstSeq, to: firstOfTurns - 1, messages: Math.max(1, messages - inTurns) }];
}

/** Skipped steps have a mark in the turn, unless nothing of the turn is shown. */
function withoutMark<M extends Message>(
  { body }: RepairedTurns<M>,
  skipped: SkippedSteps | undefined,
): Run[] {
  if (skipped === undefined || body.length > 0) return [];
  return [{ from: skipped.firstSeq, to: skipped.lastSeq, messages: skipped.messages }];
}

function countIn(runs: readonly Run[]): number {
  return runs.reduce((sum, { messages }) => sum + messages, 0);
}

function joined(sorted: readonly SeqRange[]): SeqRange[] {
  const ranges: SeqRange[] = [];
  for (const { from, to } of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to + 1)
      ranges.splice(-1, 1, { from: last.from, to: Math.max(to, last.to) });
    else ranges.push({ from, to });
  }
  return ranges;
}
