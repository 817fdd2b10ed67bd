/**
 * What the model sees: one system message (prompt, summary, pins), then whole turns, newest first, within the budgets. The
 * current turn is always there. What comes out is valid for strict providers and never larger than was allowed. Reads
 * backwards and stops when the budget is full, so that the cost does not grow with the session.
 */

import { LonghandError } from "../../errors.ts";
import type { Message } from "../../format/message.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import type { Session } from "../../contract/types.ts";
import { changesView } from "../changes-view.ts";
import { contextSettings, type ContextSettings } from "../context-settings.ts";
import { tokensOfTools } from "../tokens/estimators.ts";
import { fillWindow, type Preface, type UnseenBeginning, type Window } from "./fill-window.ts";
import type { LiveRange } from "./omitted-messages.ts";
import { choosePins, chooseSummary, pinLeftOut } from "./preface.ts";
import { readLeadingSystem, type BeginningOfView } from "./read-turns.ts";
import { repairMessages } from "../repair/repair-messages.ts";
import { jsonBytes, minus, part, sizesBy, type Size, type Sizes } from "../tokens/request-size.ts";
import { systemMessage } from "./system-message.ts";
import { correctionOf } from "../tokens/token-correction.ts";
import type { Context, ContextOptions, ContextUsage, Shortened } from "../types.ts";

export async function buildContext<M extends Message>(
  session: Session<M>,
  options?: ContextOptions,
): Promise<Context<M>> {
  const settings = contextSettings("buildContext", options);
  for (;;) {
    const info = await session.state();
    // Hardly any view begins with system messages. One that is read as far as its beginning shows it, and is read once.
    const context =
      (await buildAt(session, info, settings, undefined)) ??
      (await buildAt(session, info, settings, await readLeadingSystem(session, info?.seq ?? 0)));
    // Summary and messages must be of one moment: between two reads a compaction may have moved words to the other.
    if (!(await wasCutSince(session, info))) return context;
  }
}

/** `beginning`: of the view. Without it `undefined` where it must be known. */
async function buildAt<M extends Message>(
  session: Session<M>,
  info: SessionInfo | undefined,
  settings: ContextSettings,
  beginning: BeginningOfView<M>,
): Promise<Context<M>>;
async function buildAt<M extends Message>(
  session: Session<M>,
  info: SessionInfo | undefined,
  settings: ContextSettings,
  beginning: undefined,
): Promise<Context<M> | undefined>;
async function buildAt<M extends Message>(
  session: Session<M>,
  info: SessionInfo | undefined,
  settings: ContextSettings,
  beginning: BeginningOfView<M> | undefined,
): Promise<Context<M> | undefined> {
  const { estimator, model, tools, system: prompt } = settings;
  const correction = model === undefined ? 1 : await correctionOf(session, model);
  const sizes = sizesBy(estimator, correction);
  const toolsSize: Size = {
    tokens: tools.length === 0 ? 0 : Math.ceil(tokensOfTools(tools, estimator) * correction),
    bytes: tools.length === 0 ? 0 : jsonBytes(tools),
  };
  const to = info?.seq ?? 0;
  const leading = beginning?.leading ?? [];
  const repaired = repairMessages(leading);
  const bare: Preface = {
    prompt,
    leading: repaired.messages[0]?.message,
    summary: "",
    pins: [],
    isSummaryOmitted: false,
    shortened: [],
  };
  const systemSize = sizes.ofMessage(systemMessage({ ...bare, moved: undefined, omitted: undefined }));
  // One byte for the bracket that begins the list.
  const whole = minus(
    { tokens: settings.maxTokens - settings.reserve, bytes: settings.maxBytes - 1 },
    toolsSize,
  );
  const room = minus(whole, systemSize);
  const noRoomFor = (what: NoRoomFor): LonghandError =>
    noRoom(what, room.tokens, session.key, settings, toolsSize, systemSize);
  if (room.tokens <= 0 || room.bytes <= 0) {
    if (beginning === undefined) return undefined;
    throw noRoomFor("conversation");
  }

  const messages = (info?.count ?? 0) - leading.length;
  const full = await withSummaryAndPins(session, info, bare, room, sizes);
  const range = beginning === undefined ? unseen(session, to, messages) : seen(beginning, to, messages);
  const window =
    (await fillWindow(session, range, full, whole, sizes)) ??
    (await fillWindow(session, range, withoutSummaryAndPins(full), whole, sizes));
  if (window === "begins-with-system") return undefined;
  if (window === undefined) {
    if (beginning === undefined) return undefined;
    throw noRoomFor("current-turn");
  }
  return {
    messages: messagesOf(window),
    seqs: seqsOf(window),
    usage: usageOf(window, settings, toolsSize, sizes),
    firstSeq: window.body[0]?.seq,
    messagesNotShown: Math.max(0, messages - window.shown),
    omitted: window.omitted,
    repairs: [...repaired.repairs, ...window.repairs],
    shortened: [...window.preface.shortened, ...window.shortened],
  };
}

function seen({ leading, firstSeq }: BeginningOfView<Message>, to: number, messages: number): LiveRange {
  return { from: (leading.at(-1)?.seq ?? 0) + 1, to, firstSeq, messages };
}

function unseen<M extends Message>(session: Session<M>, to: number, messages: number): UnseenBeginning {
  return { to, messages, look: async () => await readLeadingSystem(session, to) };
}

async function withSummaryAndPins<M extends Message>(
  session: Session<M>,
  info: SessionInfo | undefined,
  bare: Preface,
  room: Size,
  sizes: Sizes,
): Promise<Preface> {
  if (info === undefined) return bare;
  const { summary, shortened } = chooseSummary(info.summary, part(room, 1 / 2), sizes);
  const pinned = await choosePins(session, part(room, 1 / 4), sizes);
  return { ...bare, summary, pins: pinned.pins, shortened: [...shortened, ...pinned.shortened] };
}

/** Where the current turn needs all the room there is. */
function withoutSummaryAndPins({ summary, pins, shortened, ...preface }: Preface): Preface {
  const summaryLength = shortened.find(({ what }) => what === "summary")?.before ?? summary.length;
  const gone: Shortened[] = shortened.filter(({ what }) => what === "pin");
  for (const pin of pins) gone.push(pinLeftOut(pin));
  if (summaryLength > 0) gone.push({ seq: 0, what: "summary", before: summaryLength, after: 0 });
  return { ...preface, summary: "", pins: [], isSummaryOmitted: summaryLength > 0, shortened: gone };
}

function messagesOf<M extends Message>({ system, body }: Window<M>): M[] {
  const messages = body.map(({ message }) => message);
  // What we put together has the fields that every message has; more cannot be known of the caller's type.
  return system === undefined ? messages : [system as M, ...messages];
}

function seqsOf<M extends Message>({ system, body }: Window<M>): number[] {
  const seqs = body.map(({ seq }) => seq);
  return system === undefined ? seqs : [0, ...seqs];
}

function usageOf<M extends Message>(
  window: Window<M>,
  { maxTokens, reserve }: ContextSettings,
  toolsSize: Size,
  sizes: Sizes,
): ContextUsage {
  const { preface, moved, omitted, body } = window;
  const systemWhole = sizes.ofMessage(window.system).tokens;
  const withoutSummary = sizes.ofMessage(
    systemMessage({ ...preface, moved: moved?.message, omitted, summary: "", pins: [] }),
  ).tokens;
  const summary = Math.max(0, systemWhole - withoutSummary);
  const turns = body.reduce((tokens, { message }) => tokens + sizes.ofMessage(message).tokens, 0);
  const free = maxTokens - reserve - systemWhole - toolsSize.tokens - turns;
  const bytes = messagesOf(window).reduce((sum, message) => sum + sizes.ofMessage(message).bytes, 1);
  const system = systemWhole - summary;
  const requestBytes = Math.max(2, bytes) + toolsSize.bytes;
  return { maxTokens, reserve, system, tools: toolsSize.tokens, summary, turns, free, bytes: requestBytes };
}

/** Messages that came meanwhile do no harm: they are not shown yet. */
async function wasCutSince<M extends Message>(
  session: Session<M>,
  before: SessionInfo | undefined,
): Promise<boolean> {
  const after = await session.state();
  if (before === undefined || after === undefined) return before !== after;
  if (after.id !== before.id) return true;
  if (after.seq === before.seq) return false;
  for await (const record of session.records({ from: before.seq + 1, to: after.seq }))
    if (changesView(record)) return true;
  return false;
}

/** In the error's `detail`: system prompt, tools and reserve leave nothing, or less than the current turn needs. */
export type NoRoomFor = "conversation" | "current-turn";

function noRoom(
  noRoomFor: NoRoomFor,
  roomTokens: number,
  key: string,
  settings: ContextSettings,
  tools: Size,
  system: Size,
): LonghandError {
  const { maxTokens, maxBytes, reserve } = settings;
  const bytes =
    maxBytes === Infinity ? "" : ` and maxBytes ${maxBytes} (tools ${tools.bytes}, system ${system.bytes})`;
  const message = `there is no room for the conversation of session ${JSON.stringify(key)} in maxTokens ${maxTokens} (reserve ${reserve}, tools ${tools.tokens}, system ${system.tokens})${bytes}; allow more, or shorten these`;
  const detail = { key, noRoomFor, roomTokens, maxTokens, maxBytes, reserve, tools, system };
  return new LonghandError("OPTION_INVALID", message, detail);
}
