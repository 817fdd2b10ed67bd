/**
 * How a turn lies in the log. A note opens it, a note ends it, and everything between the two is of that turn: the lock keeps
 * other turns out. So what a crash has left open is found by one look at the newest of these notes. docs/turn.md
 */

import type { Message, Session } from "@longhand/store";
import type { TurnOutcome } from "../events.ts";

/** `{ turn, state: "open" }` before the user's message; `{ turn, state: "ended", outcome, error? }` behind everything. */
export const TURN_NOTE = "longhand/turn";
/** What was shown of an answer since the note before: `{ text }` or `{ reasoning }`. */
export const PART_NOTE = "longhand/part";
/** `{ turn, begun }`: the ids of calls that may have changed something from now on. */
export const CALLS_NOTE = "longhand/calls";

const OUTCOMES: Readonly<Record<TurnOutcome, true>> = {
  answered: true,
  cancelled: true,
  failed: true,
  "step-limit": true,
  "same-call": true,
  interrupted: true,
};

/** As a caller is told why a turn is not "answered". */
export interface TurnFailure {
  readonly code: string;
  readonly message: string;
}

export type TurnMark =
  | { readonly turn: string; readonly state: "open" }
  | {
      readonly turn: string;
      readonly state: "ended";
      readonly outcome: TurnOutcome;
      readonly error?: TurnFailure;
    };

/** An assistant's message that no model has written. */
export interface OwnMessage extends Message {
  readonly writtenBy: "longhand";
}

/** Says in words how a turn has ended; `stopReason` says it to programs. */
export function ownMessage(outcome: TurnOutcome, words: string, reasoning = ""): OwnMessage {
  return {
    role: "assistant",
    content: `[${words}]`,
    ...(reasoning === "" ? {} : { reasoning }),
    stopReason: outcome,
    writtenBy: "longhand",
  };
}

export function isOwnMessage(message: Message): message is OwnMessage {
  return "writtenBy" in message && message.writtenBy === "longhand";
}

/** The turn that is open, and the seq of the note that has opened it. */
export async function openTurnOf(session: Session): Promise<{ turn: string; seq: number } | undefined> {
  const note = await session.lastNote(TURN_NOTE);
  const mark = note === undefined ? undefined : turnMark(note.data);
  return note === undefined || mark?.state !== "open" ? undefined : { turn: mark.turn, seq: note.seq };
}

/** What is still to be written of a turn, in one piece, and then its end. The seq of the last record. */
export async function closeTurn(
  session: Session,
  messages: readonly Message[],
  mark: Extract<TurnMark, { state: "ended" }>,
): Promise<number> {
  if (messages.length > 0) await session.append(messages);
  return (await session.note(TURN_NOTE, mark)).seq;
}

/** `undefined`: not as this version writes it. Anybody can write a note. */
export function turnMark(data: unknown): TurnMark | undefined {
  if (!isObject(data)) return undefined;
  const { turn, state, outcome, error } = data;
  if (typeof turn !== "string") return undefined;
  if (state === "open") return { turn, state };
  if (state !== "ended" || !isOutcome(outcome)) return undefined;
  return { turn, state, outcome, ...(isFailure(error) ? { error } : {}) };
}

export function isOutcome(value: unknown): value is TurnOutcome {
  return typeof value === "string" && Object.hasOwn(OUTCOMES, value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFailure(value: unknown): value is TurnFailure {
  return isObject(value) && typeof value["code"] === "string" && typeof value["message"] === "string";
}
