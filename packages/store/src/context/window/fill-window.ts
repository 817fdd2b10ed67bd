/** Fills the room that the system message leaves: with as many whole turns as fit, or with the current one made to fit. */

import type { Message } from "../../format/message.ts";
import type { Session } from "../../contract/types.ts";
import { omittedMessages, type LiveRange } from "./omitted-messages.ts";
import { readTurns, type BeginningOfView, type SkippedSteps } from "./read-turns.ts";
import { repairMessages } from "../repair/repair-messages.ts";
import {
  fitTogether,
  isWithin,
  largestThatFits,
  minus,
  part,
  type Size,
  type Sizes,
} from "../tokens/request-size.ts";
import { place, shortenText } from "./shorten-message.ts";
import { shrinkTurn } from "./shrink-turn.ts";
import { systemMessage, type SystemPieces } from "./system-message.ts";
import { textOf } from "../transcript.ts";
import type { LoggedMessage } from "../turns.ts";
import type { HistoryRepair, OmittedMessages, Shortened } from "../types.ts";

/** What stands in the system message whatever the turns are. */
export interface Preface extends Omit<SystemPieces, "moved" | "omitted"> {
  readonly shortened: readonly Shortened[];
}

export interface Window<M extends Message> {
  readonly preface: Preface;
  /** With the seq of the first, if there were several. */
  readonly moved: LoggedMessage | undefined;
  readonly system: Message | undefined;
  readonly omitted: OmittedMessages | undefined;
  readonly body: readonly LoggedMessage<M>[];
  /** How many messages of the log it is made of; those that a repair has left out count too. */
  readonly shown: number;
  readonly repairs: readonly HistoryRepair[];
  readonly shortened: readonly Shortened[];
}

/** The view may begin with system messages, which is seen once its turns are read; `look` is for a view that is not read so far back. */
export interface UnseenBeginning {
  readonly to: number;
  readonly messages: number;
  readonly look: () => Promise<BeginningOfView<Message>>;
}

/**
 * `whole`: the room for all messages, the system message too. `undefined`: not even the current turn can be shown.
 * "begins-with-system": so does the view with the unseen beginning.
 */
export async function fillWindow<M extends Message>(
  session: Session<M>,
  range: LiveRange | UnseenBeginning,
  preface: Preface,
  whole: Size,
  sizes: Sizes,
): Promise<Window<M> | "begins-with-system" | undefined> {
  const room = minus(
    whole,
    sizes.ofMessage(systemMessage({ ...preface, moved: undefined, omitted: undefined })),
  );
  if (room.tokens < 0 || room.bytes < 0) return undefined;
  const { from, to } = { from: 1, ...range };
  const { turns, skipped, isWhole } = await readTurns(session, { from, to }, room, sizes);
  const live = "look" in range ? await seenRange(range, isWhole ? turns.flat() : undefined) : range;
  if (live === undefined) return "begins-with-system";
  const windowOf = (kept: number): Window<M> => {
    const history = turns.slice(turns.length - kept).flat();
    return repairedWindow(preface, history, skipped, live);
  };
  const fits = ({ system, body }: Window<M>): boolean =>
    fitTogether(
      [...(system === undefined ? [] : [system]), ...body.map(({ message }) => message)],
      whole,
      sizes,
    );
  if (turns.length === 0) return [windowOf(0)].find(fits);
  const current = windowOf(1);
  // Where the repair leaves nothing, there is nothing to shorten.
  const isComplete = skipped === undefined || current.body.length === 0;
  const kept = isComplete ? largestThatFits(1, turns.length, (count) => fits(windowOf(count))) : undefined;
  if (kept !== undefined) return windowOf(kept);

  const { moved, shortened } = cutMoved(session.key, current, part(room, 1 / 4), sizes);
  const { omitted } = current;
  const pieces = { ...preface, moved: moved?.message, omitted };
  const turn = { messages: current.body, skipped, key: session.key };
  // Room for all the pins: a message that is pinned may be among the steps that go.
  const shrunk = shrinkTurn(turn, minus(whole, sizes.ofMessage(systemMessage(pieces))), sizes);
  if (shrunk === undefined) return undefined;
  return {
    preface,
    moved,
    omitted,
    system: systemMessage({ ...pieces, pins: pinsOutside(preface.pins, shrunk.messages) }),
    body: shrunk.messages,
    repairs: current.repairs,
    shown: current.shown - shrunk.omitted + (skipped?.messages ?? 0),
    shortened: [...shortened, ...shrunk.shortened],
  };
}

/** `view`: all of its messages, if they were read. */
async function seenRange(
  { to, messages, look }: UnseenBeginning,
  view: readonly LoggedMessage[] | undefined,
): Promise<LiveRange | undefined> {
  if (view?.[0]?.message.role === "system") return undefined;
  if (view !== undefined) return { from: 1, to, firstSeq: view[0]?.seq, messages };
  const { leading, firstSeq } = await look();
  return leading.length > 0 ? undefined : { from: 1, to, firstSeq, messages };
}

function repairedWindow<M extends Message>(
  preface: Preface,
  history: readonly LoggedMessage<M>[],
  skipped: SkippedSteps | undefined,
  live: LiveRange,
): Window<M> {
  const { messages, repairs } = repairMessages(history);
  const [first] = messages;
  const moved = first?.message.role === "system" ? first : undefined;
  const body = moved === undefined ? messages : messages.slice(1);
  const omitted = omittedMessages({ history, body, repairs }, skipped, live);
  const pins = pinsOutside(preface.pins, body);
  const system = systemMessage({ ...preface, pins, moved: moved?.message, omitted });
  return { preface, moved, omitted, system, body, shown: history.length, repairs, shortened: [] };
}

function pinsOutside(pins: readonly LoggedMessage[], body: readonly LoggedMessage[]): LoggedMessage[] {
  const inside = new Set(body.map(({ seq }) => seq));
  return pins.filter(({ seq }) => !inside.has(seq));
}

/** System messages from the middle of the current turn may take a part of the room, not all of it. */
function cutMoved<M extends Message>(
  key: string,
  { moved }: Window<M>,
  room: Size,
  sizes: Sizes,
): Pick<Window<M>, "moved" | "shortened"> {
  if (moved === undefined || isWithin(sizes.ofMessage(moved.message), room)) return { moved, shortened: [] };
  const { seq } = moved;
  const text = textOf(moved.message);
  const cutTo = (limit: number): Message => ({
    role: "system",
    content: shortenText(text, limit, place(key, seq)),
  });
  const fits = (limit: number): boolean => isWithin(sizes.ofMessage(cutTo(limit)), room);
  const limit = largestThatFits(0, text.length, fits);
  const cut = limit === undefined ? undefined : cutTo(limit);
  const after = cut === undefined ? 0 : textOf(cut).length;
  return {
    moved: cut === undefined ? undefined : { seq, message: cut },
    shortened: [{ seq, what: "text", before: text.length, after }],
  };
}
