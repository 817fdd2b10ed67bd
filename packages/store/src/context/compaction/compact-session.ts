/**
 * Compaction: the oldest turns of what the model sees are replaced by a summary, in one atomic record. Everything stays in
 * the log. Messages may keep arriving while the model writes: the cut is a seq, not a number of messages, and nothing is
 * written if the view was changed otherwise meanwhile.
 */

import type { Host } from "../../host/host.ts";
import type { Message } from "../../format/message.ts";
import {
  callback,
  checkOptions,
  count,
  flag,
  abortSignal,
  text,
  recordSeq,
  type Check,
} from "../../store/check-options.ts";
import type { Session } from "../../contract/types.ts";
import { asOwnMessage } from "../as-own-message.ts";
import { withTimeLimit } from "../ask-with-retries.ts";
import {
  chooseKeepFrom,
  cutPart,
  weighView,
  type CompactionLimits,
  type CutPart,
  type Weight,
} from "./compaction-plan.ts";
import { requestRoom } from "./request-room.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES } from "../context-defaults.ts";
import { estimatorCheck, toolsCheck } from "../context-settings.ts";
import { standardEstimator } from "../tokens/estimators.ts";
import { summarise, type Summarised } from "./summarise.ts";
import { correctionOf } from "../tokens/token-correction.ts";
import { writeCompaction } from "./write-compaction.ts";
import type { AskModel, TokenEstimator, ToolSchema } from "../types.ts";

const SUMMARY_TOKENS = 2000;
/** Of maxHistoryMessages. Were more kept, the next turns would be compacted one by one. */
const KEPT_SHARE = 0.4;
/** A model is not asked more often than this for one compaction. */
const MOST_PIECES = 20;

export interface CompactOptions {
  /** Writes the summary. Absent: it is made without a model. */
  readonly ask?: AskModel;
  /** Of a whole request, the answer included. Compacts when a part of the view does not fit it. @default 32000 */
  readonly maxContextTokens?: number;
  /** What else a request must hold, as for `buildContext`. */
  readonly reserve?: number;
  readonly system?: string;
  readonly tools?: readonly ToolSchema[];
  /** Compacts when the view has more messages. @default 50 */
  readonly maxHistoryMessages?: number;
  /** So many of the newest messages stay, if they are whole turns. @default 20, or two fifths of maxHistoryMessages if that is less */
  readonly keepMessages?: number;
  /** Also below the thresholds. @default false */
  readonly force?: boolean;
  /** Says what would be done, asks no model and writes nothing. @default false */
  readonly dryRun?: boolean;
  /** Milliseconds for the model, all tries together. @default 120000 */
  readonly timeLimit?: number;
  readonly signal?: AbortSignal;
  /** Whose reported usage corrects the estimate. */
  readonly model?: string;
  readonly estimator?: TokenEstimator;
}

export type Compaction = (NotCompacted | Compacted) & { readonly before: Weight };

export interface NotCompacted {
  readonly done: false;
  /**
   * "within-limits": there was no need. "nothing-to-cut": all of it is one turn. "no-progress": the summary would be longer
   * than what it stands for. "changed-meanwhile": another process has cut the view. "busy": it is being compacted.
   */
  readonly reason:
    "within-limits" | "nothing-to-cut" | "no-progress" | "changed-meanwhile" | "busy" | "dry-run";
  /** Of a dry run: what the summary would stand for. */
  readonly would?: { readonly from: number; readonly to: number; readonly messages: number };
}

export interface Compacted {
  readonly done: true;
  /** Of the record. */
  readonly seq: number;
  readonly keepFrom: number;
  readonly summary: string;
  /** The messages it stands for, besides those of the summary before. */
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  readonly by: Summarised["by"];
  /** Why the model's summary was not to be had. */
  readonly failure: string | undefined;
  readonly after: Weight;
}

const limit: Check = [recordSeq[0], "a whole number from 1 on"];
const OPTIONS: Readonly<Record<keyof CompactOptions, Check>> = {
  ask: callback,
  maxContextTokens: limit,
  reserve: count,
  system: text,
  tools: toolsCheck,
  maxHistoryMessages: limit,
  keepMessages: count,
  force: flag,
  dryRun: flag,
  timeLimit: count,
  signal: abortSignal,
  model: text,
  estimator: estimatorCheck,
};

const NOTHING: Weight = { tokens: 0, messages: 0 };

/** Sessions that are being compacted in this process, by id. */
const busy = new Set<string>();

export async function compactSession(
  waiting: Pick<Host, "wait">,
  session: Session,
  options: CompactOptions = {},
): Promise<Compaction> {
  checkOptions("compactSession", options, OPTIONS);
  const id = (await session.state())?.id;
  if (id === undefined) return { done: false, reason: "within-limits", before: NOTHING };
  if (busy.has(id)) return { done: false, reason: "busy", before: await weigh(session, options) };
  busy.add(id);
  try {
    return await compactAlone(waiting, session, options);
  } finally {
    busy.delete(id);
  }
}

async function compactAlone(
  waiting: Pick<Host, "wait">,
  session: Session,
  options: CompactOptions,
): Promise<Compaction> {
  const room = await requestRoom(session, options);
  const limits = limitsOf(options, room.tokens);
  const { estimator = standardEstimator, timeLimit = 120_000, signal: outer } = options;
  const correction = await correctionFor(session, options);
  const base = await session.state();
  if (base === undefined) return { done: false, reason: "within-limits", before: NOTHING };
  const earlier = base.summary;
  const before = await weigh(session, options);
  const isTooMuch = room.isTooSmall || before.messages > limits.maxHistoryMessages;
  if (!isTooMuch && options.force !== true) return { done: false, reason: "within-limits", before };
  const keepFrom = await chooseKeepFrom(session, estimator, correction, limits);
  const pieceTokens = Math.floor(limits.roomTokens / 2 / correction);
  const part =
    keepFrom === undefined
      ? undefined
      : await cutPart(session, keepFrom, estimator, pieceTokens * MOST_PIECES);
  if (keepFrom === undefined || part === undefined) return { done: false, reason: "nothing-to-cut", before };
  const { from, to, messages } = part;
  if (options.dryRun === true)
    return { done: false, reason: "dry-run", before, would: { from, to, messages } };

  const maxTokens = Math.min(SUMMARY_TOKENS, Math.floor(limits.roomTokens / 8));
  const replaced = estimator.tokensOf(earlier) + part.tokens;
  const maxPlainTokens = Math.min(maxTokens, Math.floor(replaced / 2));
  const made = await withTimeLimit(waiting, timeLimit, outer, async (signal) => {
    const around = { waiting, signal, model: options.ask, estimator, pieceTokens, maxTokens, maxPlainTokens };
    return await summarise(withUnseen(earlier, part), messagesBetween(session, part.shownFrom, to), around);
  });
  outer?.throwIfAborted();
  const { summary, by, failure } = made;
  const isShorter = estimator.tokensOf(summary) < replaced;
  if (!isShorter && before.messages <= limits.maxHistoryMessages)
    return { done: false, reason: "no-progress", before };
  const note = { from, to, messages, by };
  const seq = await writeCompaction(session, base, { summary, keepFrom }, note);
  if (seq === undefined) return { done: false, reason: "changed-meanwhile", before };
  const after = await weigh(session, options);
  return { done: true, seq, keepFrom, summary, ...note, failure, before, after };
}

function limitsOf(options: CompactOptions, roomTokens: number): CompactionLimits {
  const { maxHistoryMessages = DEFAULT_HISTORY_MESSAGES } = options;
  const { keepMessages = Math.min(20, Math.floor(maxHistoryMessages * KEPT_SHARE)) } = options;
  return { maxHistoryMessages, keepMessages, roomTokens };
}

async function correctionFor(session: Session, { model }: CompactOptions): Promise<number> {
  return model === undefined ? 1 : await correctionOf(session, model);
}

async function weigh(session: Session, options: CompactOptions): Promise<Weight> {
  const { estimator = standardEstimator, maxContextTokens = DEFAULT_CONTEXT_TOKENS } = options;
  return await weighView(session, estimator, await correctionFor(session, options), maxContextTokens);
}

/** Nothing is left out in silence. */
function withUnseen(earlier: string, { from, shownFrom }: CutPart): string {
  if (from === shownFrom) return earlier;
  const unseen = `[The records ${from} to ${shownFrom - 1} were too many to be summarised; they are in the log.]`;
  return earlier === "" ? unseen : `${earlier}\n${unseen}`;
}

async function* messagesBetween(session: Session, from: number, to: number): AsyncIterable<Message> {
  for await (const record of session.records({ live: true, from, to })) {
    if (record.op === undefined) yield asOwnMessage(record.message);
  }
}
