/**
 * Reads a conversation backwards, turn by turn, no further than the room can hold: what lies before costs nothing. Of a
 * current turn that is too long in any case, older steps are counted, not held.
 */

import type { Message } from "../../format/message.ts";
import type { Session } from "../../contract/types.ts";
import { asOwnMessage } from "../as-own-message.ts";
import { repairMessages } from "../repair/repair-messages.ts";
import { isWithin, minus, NOTHING, part, plus, type Size, type Sizes } from "../tokens/request-size.ts";
import type { LoggedMessage } from "../turns.ts";

/** A tool's result can be cut to about this. */
const CUT_RESULT: Size = { tokens: 150, bytes: 1_000 };
/** Of the room: more is not held of the current turn. */
const MOST_OF_CURRENT = 2;
/** Of the room: more is not held of older turns, though most of it may be results that are left out. */
const MOST_OF_OLDER = 4;

export interface ReadTurns<M extends Message> {
  /** Oldest first; the last is the current one. Before the first user's message there may be one without a question. */
  readonly turns: readonly (readonly LoggedMessage<M>[])[];
  /** Steps of the current turn, right behind its question. */
  readonly skipped: SkippedSteps | undefined;
  /** They begin with the first message of the range. */
  readonly isWhole: boolean;
}

export interface SkippedSteps {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly messages: number;
}

export interface BeginningOfView<M extends Message> {
  /** The system messages with which the view begins: they hold for all of it. */
  readonly leading: readonly LoggedMessage<M>[];
  /** Of the first message behind them. `undefined`: there is none. */
  readonly firstSeq: number | undefined;
}

export async function readLeadingSystem<M extends Message>(
  session: Session<M>,
  to: number,
): Promise<BeginningOfView<M>> {
  const leading: LoggedMessage<M>[] = [];
  for await (const record of session.records({ live: true, to })) {
    if (record.op !== undefined || record.message.role !== "system") return { leading, firstSeq: record.seq };
    leading.push({ seq: record.seq, message: asOwnMessage(record.message) });
  }
  return { leading, firstSeq: undefined };
}

export async function readTurns<M extends Message>(
  session: Session<M>,
  range: { readonly from: number; readonly to: number },
  room: Size,
  sizes: Sizes,
): Promise<ReadTurns<M>> {
  const reading = new Reading<M>(room, sizes);
  if (range.from <= range.to) {
    for await (const record of session.records({ live: true, reverse: true, ...range })) {
      if (record.op !== undefined) continue;
      if (!reading.take({ seq: record.seq, message: asOwnMessage(record.message) })) return reading.outcome();
    }
  }
  reading.endAtBeginning();
  return reading.outcome();
}

class Reading<M extends Message> {
  readonly #room: Size;
  readonly #sizes: Sizes;
  /** Newest first, and so is each turn until it is complete. */
  readonly #turns: (readonly LoggedMessage<M>[])[] = [];
  #turn: LoggedMessage<M>[] = [];
  #held: Size = NOTHING;
  #olderHeld: Size = NOTHING;
  #left: Size;
  #skipped: SkippedSteps | undefined;
  #isAtBeginning = false;

  constructor(room: Size, sizes: Sizes) {
    this.#room = room;
    this.#sizes = sizes;
    this.#left = room;
  }

  /** False: there is no room for anything before it. */
  take(logged: LoggedMessage<M>): boolean {
    const isQuestion = logged.message.role === "user";
    if (this.#turns.length === 0) {
      if (!isQuestion && !isWithin(this.#held, part(this.#room, MOST_OF_CURRENT))) this.#skip(logged);
      else this.#hold(logged, this.#leastSize(logged.message));
    } else {
      const size = this.#sizes.ofMessage(logged.message);
      this.#olderHeld = plus(this.#olderHeld, size);
      if (!isWithin(this.#olderHeld, part(this.#room, MOST_OF_OLDER))) return false;
      this.#hold(logged, size);
    }
    return !isQuestion || this.#completeTurn();
  }

  endAtBeginning(): void {
    this.#skipResultsOfSkipped();
    this.#isAtBeginning = this.#turn.length === 0 || this.#completeTurn();
  }

  outcome(): ReadTurns<M> {
    const isWhole = this.#isAtBeginning && this.#skipped === undefined;
    return { turns: this.#turns.toReversed(), skipped: this.#skipped, isWhole };
  }

  #completeTurn(): boolean {
    const turn = this.#turn.toReversed();
    this.#turn = [];
    // Alone it is about what it will be in the end; what is shown is measured again as a whole.
    const alone = repairMessages(turn).messages.map(({ message }) => this.#sizes.ofMessage(message));
    const left = minus(this.#left, alone.reduce(plus, NOTHING));
    if (this.#turns.length > 0 && !isWithin(NOTHING, left)) return false;
    this.#turns.push(turn);
    this.#left = left;
    return this.#skipped === undefined && isWithin(NOTHING, left);
  }

  #hold(logged: LoggedMessage<M>, size: Size): void {
    this.#skipResultsOfSkipped();
    this.#turn.push(logged);
    this.#held = plus(this.#held, size);
  }

  /** Whatever was skipped began a step: results without their call are no use. */
  #skipResultsOfSkipped(): void {
    if (this.#skipped === undefined) return;
    while ((this.#turn.at(-1)?.message.role ?? "assistant") !== "assistant") {
      const result = this.#turn.pop();
      if (result !== undefined) this.#skip(result);
    }
  }

  #skip({ seq }: LoggedMessage<M>): void {
    const { firstSeq = seq, lastSeq = seq, messages = 0 } = this.#skipped ?? {};
    this.#skipped = {
      firstSeq: Math.min(firstSeq, seq),
      lastSeq: Math.max(lastSeq, seq),
      messages: messages + 1,
    };
  }

  #leastSize(message: M): Size {
    const { tokens, bytes } = this.#sizes.ofMessage(message);
    if (message.role !== "tool") return { tokens, bytes };
    return { tokens: Math.min(tokens, CUT_RESULT.tokens), bytes: Math.min(bytes, CUT_RESULT.bytes) };
  }
}
