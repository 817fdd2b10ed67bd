/**
 * Puts the results of tool calls to the message that called, so that both can be read in one place. Holds no more
 * than one message with its results.
 */

import type { Message, SessionRecord } from "@longhand/store";
import type { LostRun } from "./lost-line.ts";

export type MessageRecord = Extract<SessionRecord, { readonly message: Message }>;
export type EventRecord = Exclude<SessionRecord, { readonly message: Message }>;

export type TranscriptItem =
  | {
      readonly kind: "message";
      readonly record: MessageRecord;
      readonly isLive: boolean;
      /** By the id of the call; `undefined`: they are items of their own, where they came. */
      readonly results: ReadonlyMap<string, MessageRecord> | undefined;
    }
  | { readonly kind: "event"; readonly record: EventRecord }
  | { readonly kind: "lost"; readonly lost: LostRun };

export interface Marked {
  readonly record: SessionRecord;
  readonly isLive: boolean;
}

interface OpenCalls {
  readonly record: MessageRecord;
  readonly isLive: boolean;
  readonly unanswered: Set<string>;
  readonly results: Map<string, MessageRecord>;
  /** What came between the calls and their results. */
  readonly between: TranscriptItem[];
}

const NO_RESULTS: ReadonlyMap<string, MessageRecord> = new Map();

export async function* pairToolResults(
  records: AsyncIterable<Marked | { readonly lost: LostRun }>,
): AsyncIterable<TranscriptItem> {
  let open: OpenCalls | undefined;
  for await (const each of records) {
    const aside = asideOf(each);
    if (aside !== undefined) {
      if (open === undefined) yield aside;
      else open.between.push(aside);
    }
    if ("lost" in each || each.record.op !== undefined) continue;
    const { record, isLive } = each;
    if (open !== undefined && answers(open, record, isLive)) continue;
    if (open !== undefined) yield* itemsOf(open);
    open = opened(record, isLive);
    if (open === undefined) yield { kind: "message", record, isLive, results: NO_RESULTS };
  }
  if (open !== undefined) yield* itemsOf(open);
}

/** What is no message. */
function asideOf(each: Marked | { readonly lost: LostRun }): TranscriptItem | undefined {
  if ("lost" in each) return { kind: "lost", lost: each.lost };
  return each.record.op === undefined ? undefined : { kind: "event", record: each.record };
}

function opened(record: MessageRecord, isLive: boolean): OpenCalls | undefined {
  const calls = record.message.toolCalls ?? [];
  if (calls.length === 0) return undefined;
  const unanswered = new Set(calls.map(({ id }) => id));
  return { record, isLive, unanswered, results: new Map(), between: [] };
}

function answers(open: OpenCalls, record: MessageRecord, isLive: boolean): boolean {
  const { role, toolCallId } = record.message;
  if (role !== "tool" || toolCallId === undefined || isLive !== open.isLive) return false;
  if (!open.unanswered.delete(toolCallId)) return false;
  open.results.set(toolCallId, record);
  return true;
}

function* itemsOf({ record, isLive, results, between }: OpenCalls): Iterable<TranscriptItem> {
  yield { kind: "message", record, isLive, results };
  yield* between;
}
