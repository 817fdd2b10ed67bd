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
  /** The first message of the view: what lies before it was cut, not undone. @default nothing lies before it */
  readonly viewFrom?: number;
}

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
  let hidden = NOTHING_HIDDEN;
  for await (const item of items) {
    if (!style.all && !isInView(item)) {
      if (item.kind === "message") hidden = withHidden(hidden, item, style);
      continue;
    }
    yield* hiddenLines(hidden, style);
    hidden = NOTHING_HIDDEN;
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
  yield* hiddenLines(hidden, style);
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

interface Hidden {
  readonly cut: number;
  readonly undone: number;
}

const NOTHING_HIDDEN: Hidden = { cut: 0, undone: 0 };

function withHidden(
  { cut, undone }: Hidden,
  { record, results }: Extract<TranscriptItem, { readonly kind: "message" }>,
  { viewFrom = 0 }: TranscriptStyle,
): Hidden {
  const messages = 1 + (results?.size ?? 0);
  return record.seq < viewFrom ? { cut: cut + messages, undone } : { cut, undone: undone + messages };
}

function hiddenLines({ cut, undone }: Hidden, { colors }: TranscriptStyle): string[] {
  return [
    ...(cut === 0 ? [] : [colors.dim(`${countOf(cut, "message is", "messages are")} cut from the view`), ""]),
    ...(undone === 0
      ? []
      : [colors.dim(`${countOf(undone, "message was", "messages were")} undone here`), ""]),
  ];
}
