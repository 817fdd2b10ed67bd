/**
 * Puts the results of tool calls to the message that called, so that both can be read in one place. Holds no more
 * than one message with its results.
 */

import type { Message, SessionRecord } from "@longhand/store";

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
  | { readonly kind: "event"; readonly record: EventRecord };

interface Marked {
  readonly record: SessionRecord;
  readonly isLive: boolean;
}

interface OpenCalls {
  readonly record: MessageRecord;
  readonly isLive: boolean;
  readonly unanswered: Set<string>;
  readonly results: Map<string, MessageRecord>;
  /** What came between the calls and their results. */
  readonly between: EventRecord[];
}

const NO_RESULTS: ReadonlyMap<string, MessageRecord> = new Map();

export async function* pairToolResults(records: AsyncIterable<Marked>): AsyncIterable<TranscriptItem> {
  let open: OpenCalls | undefined;
  for await (const { record, isLive } of records) {
    if (record.op !== undefined) {
      if (open === undefined) yield { kind: "event", record };
      else open.between.push(record);
      continue;
    }
    if (open !== undefined && answers(open, record, isLive)) continue;
    if (open !== undefined) yield* itemsOf(open);
    open = opened(record, isLive);
    if (open === undefined) yield { kind: "message", record, isLive, results: NO_RESULTS };
  }
  if (open !== undefined) yield* itemsOf(open);
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
  for (const event of between) yield { kind: "event", record: event };
}
