/** Where a compaction cuts: only at the start of a user's turn, with the current turn and some more always kept. */

import type { SessionRecord } from "../../format/session-record.ts";
import type { Session } from "../../contract/types.ts";
import { asOwnMessage } from "../as-own-message.ts";
import type { TokenEstimator } from "../types.ts";

export interface CompactionLimits {
  readonly maxHistoryMessages: number;
  readonly keepMessages: number;
  /** Of a request, for summary, pins and turns: what system prompt, tools and reserve leave. */
  readonly roomTokens: number;
}

export interface Weight {
  readonly tokens: number;
  readonly messages: number;
}

export type MessageRecord = Extract<SessionRecord, { op?: undefined }>;

/** Reads backwards until there are more than `maxTokens`: older messages are not counted in `tokens`. */
export async function weighView(
  session: Session,
  estimator: TokenEstimator,
  correction: number,
  maxTokens: number,
): Promise<Weight> {
  const state = await session.state();
  let tokens = estimator.tokensOf(state?.summary ?? "") * correction;
  for await (const { message } of liveBackwards(session)) {
    if (tokens > maxTokens) break;
    tokens += estimator.tokensOfMessage(message) * correction;
  }
  return { tokens: Math.ceil(tokens), messages: state?.count ?? 0 };
}

/**
 * The seq of the first message that stays. Whole turns are kept, newest first, as long as they are not more than
 * `keepMessages` and half of the room; the newest is always kept. `undefined`: there is no turn to cut before.
 */
export async function chooseKeepFrom(
  session: Session,
  estimator: TokenEstimator,
  correction: number,
  { roomTokens, keepMessages }: CompactionLimits,
): Promise<number | undefined> {
  let keepFrom: number | undefined;
  let tokens = 0;
  let messages = 0;
  for await (const { seq, message } of liveBackwards(session)) {
    tokens += estimator.tokensOfMessage(message) * correction;
    messages += 1;
    if (message.role !== "user") continue;
    if (keepFrom !== undefined && (messages > keepMessages || tokens > roomTokens / 2)) return keepFrom;
    keepFrom = seq;
  }
  // Everything is kept, or there is no turn: then nothing lies before the cut.
  return undefined;
}

export async function* liveBackwards(session: Session): AsyncIterable<MessageRecord> {
  for await (const record of session.records({ live: true, reverse: true })) {
    if (record.op === undefined) yield { ...record, message: asOwnMessage(record.message) };
  }
}

/** What the summary will stand for, besides those of the summary before. */
export interface CutPart {
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  readonly tokens: number;
  /** The first that is still shown to the model; what lies before it is too much even in pieces. */
  readonly shownFrom: number;
}

/** The live messages before `keepFrom`. `undefined`: there are none. */
export async function cutPart(
  session: Session,
  keepFrom: number,
  estimator: TokenEstimator,
  mostTokens: number,
): Promise<CutPart | undefined> {
  let part: CutPart | undefined;
  if (keepFrom === 1) return undefined;
  for await (const record of session.records({ live: true, reverse: true, to: keepFrom - 1 })) {
    if (record.op !== undefined) continue;
    const tokens = (part?.tokens ?? 0) + estimator.tokensOfMessage(asOwnMessage(record.message));
    const shownFrom = tokens <= mostTokens ? record.seq : (part?.shownFrom ?? record.seq);
    part = { from: record.seq, to: keepFrom - 1, messages: (part?.messages ?? 0) + 1, tokens, shownFrom };
  }
  return part;
}
