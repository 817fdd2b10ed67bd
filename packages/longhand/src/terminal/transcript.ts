/** A conversation to read: days, speakers, what they said, what tools did. Yields lines; holds one message at a time. */

import type { SessionRecord } from "@longhand/store";
import { describeEvent } from "./describe-event.ts";
import { fitToWidth } from "./display-width.ts";
import { countOf } from "./format-count.ts";
import { type LostRun, lostLine } from "./lost-line.ts";
import { type Marked, pairToolResults, type TranscriptItem } from "./pair-tool-results.ts";
import { type MessageStyle, renderMessage } from "./render-message.ts";

export interface TranscriptStyle extends MessageStyle {
  /** Also what is cut from the view, and the records that are no messages. */
  readonly all: boolean;
}

/** From the first message of the view on; `all`: from anywhere. */
export async function* renderTranscript(
  records: AsyncIterable<Marked | { readonly lost: LostRun }>,
  style: TranscriptStyle,
): AsyncIterable<string> {
  yield* renderItems(pairToolResults(records), style);
}

/** Each record at once, for a conversation that is still going on: nothing waits for the results of a call. */
export async function* renderAsItComes(
  records: AsyncIterable<SessionRecord>,
  style: MessageStyle,
): AsyncIterable<string> {
  const items = async function* (): AsyncIterable<TranscriptItem> {
    for await (const record of records) {
      if (record.op === undefined) yield { kind: "message", record, isLive: true, results: undefined };
      else yield { kind: "event", record };
    }
  };
  yield* renderItems(items(), { ...style, all: true });
}

async function* renderItems(
  items: AsyncIterable<TranscriptItem>,
  style: TranscriptStyle,
): AsyncIterable<string> {
  let day = "";
  let undone = 0;
  for await (const item of items) {
    if (!style.all && !isInView(item)) {
      undone += item.kind === "message" ? 1 + (item.results?.size ?? 0) : 0;
      continue;
    }
    yield* undoneLines(undone, style);
    undone = 0;
    if (item.kind === "lost") {
      yield* [style.colors.red(lostLine(item.lost)), ""];
      continue;
    }
    const itsDay = style.times.day(item.record.at);
    if (itsDay !== day) yield* [style.colors.dim(`── ${itsDay} ──`), ""];
    day = itsDay;
    yield* itemLines(item, style);
    yield "";
  }
  yield* undoneLines(undone, style);
}

function isInView(item: TranscriptItem): boolean {
  return item.kind === "lost" || (item.kind === "message" && item.isLive);
}

function itemLines(
  item: Exclude<TranscriptItem, { readonly kind: "lost" }>,
  style: TranscriptStyle,
): string[] {
  if (item.kind === "message") return renderMessage(item.record, item.isLive, item.results, style);
  const line = `· ${describeEvent(item.record)} · #${item.record.seq}`;
  return [style.colors.dim(style.width === undefined ? line : fitToWidth(line, style.width))];
}

function undoneLines(count: number, { colors }: TranscriptStyle): string[] {
  if (count === 0) return [];
  return [colors.dim(`${countOf(count, "message was", "messages were")} undone here`), ""];
}
