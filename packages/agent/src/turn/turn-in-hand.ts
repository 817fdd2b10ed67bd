/** A turn while it runs: what its steps share. */

import {
  isLonghandError,
  type Message,
  type Session,
  type WriteOptions,
  type Written,
} from "@longhand/store";
import { correctionOf, reportUsage, type UsageReport } from "@longhand/store/context";
import type { TurnEvent, TurnOutcome } from "../events.ts";
import { messageText } from "../message-text.ts";
import { CallIds } from "./call-ids.ts";
import type { FullSettings } from "./full-settings.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import { SameCalls } from "./same-calls.ts";
import type { StepCall } from "./step-call.ts";
import { TURN_NOTE, type TurnFailure, type TurnMark } from "./turn-log.ts";
import type { RunningTurn, Said } from "./types.ts";
import { writeBoth } from "./write-both.ts";

/** How a turn ends, and why, in words for whoever reads on. */
export type Ending =
  | { readonly outcome: "answered" }
  | {
      readonly outcome: Exclude<TurnOutcome, "answered" | "interrupted">;
      readonly words: string;
      readonly error: TurnFailure;
    };

export class TurnInHand {
  readonly session: Session;
  readonly running: RunningTurn;
  readonly settings: FullSettings;
  readonly callIds: CallIds = new CallIds();
  readonly sameCalls: SameCalls;
  /** For each tool, how often in a row it could not be called as the model wanted. */
  readonly badCalls: Map<string, number> = new Map();
  /** Of the answer that is being streamed, and in no message yet. */
  partial: PartialAnswer | undefined;
  /** Calls of an answer that is kept, without a result so far. */
  readonly openCalls: Map<string, StepCall> = new Map();
  /** What the provider has counted of the last answer, until `keepCounted`. */
  counted: UsageReport | undefined;
  /** After an overflow that the provider reported, compaction is tried once in a turn. */
  wasCompacted = false;
  /** A compaction that could do nothing is not tried again in the same turn. */
  mayCompact = true;
  /** The last answer of the model, as shown. */
  text = "";
  /** What the user has said last. */
  about = "";
  /** Of the newest record of the turn that is known to be durable. */
  seq = 0;
  /** Of the next request, as it is after the last answer. `undefined`: a part of the view was not in this one. */
  freeTokens: number | undefined;
  /** The note that ends the turn is in the log. */
  isEnded = false;
  #correction: number | undefined;
  #sinkFailure: { readonly error: unknown } | undefined;

  constructor(session: Session, running: RunningTurn, settings: FullSettings) {
    this.session = session;
    this.running = running;
    this.settings = settings;
    this.sameCalls = new SameCalls(settings.maxSameCalls);
  }

  get signal(): AbortSignal {
    return this.running.signal;
  }

  /** A sink that throws is told nothing more; the turn goes on, and `throwIfSinkFailed` tells in the end. */
  emit(event: TurnEvent): void {
    if (this.#sinkFailure !== undefined) return;
    const { agent, events } = this.settings;
    try {
      events({ agent, key: this.session.key, turn: this.running.id, ...event });
    } catch (error) {
      this.#sinkFailure = { error };
    }
  }

  throwIfSinkFailed(): void {
    if (this.#sinkFailure !== undefined) throw this.#sinkFailure.error;
  }

  async append(message: Message): Promise<number> {
    return this.#kept(await this.session.append(message));
  }

  async note(kind: string, data: unknown): Promise<void> {
    this.#kept(await this.session.note(kind, data));
  }

  /**
   * The note that opens the turn, then the words. The note comes first: a crash behind it is found, and a crash before it has left
   * nothing. The seq of the words: an older one, if they were there already.
   */
  async begin(said: Said): Promise<number> {
    const { session, running } = this;
    const mark: TurnMark = { turn: running.id, state: "open" };
    const { first, second } = await writeBoth(
      session,
      async () => await session.note(TURN_NOTE, mark),
      async (options) => await this.#keepWords(said, options),
    );
    this.#kept(first);
    if (second.status === "fulfilled") return this.#heard(said, second.value);
    if (!isLonghandError(second.reason, "SEQ_CONFLICT")) throw second.reason;
    return await this.hear(said);
  }

  /** An answer that nothing follows, and the note that ends the turn. Where that note could not be written, `isEnded` stays false. */
  async appendLast(answer: Message): Promise<void> {
    const { session, running } = this;
    const mark: TurnMark = { turn: running.id, state: "ended", outcome: "answered" };
    const { first, second } = await writeBoth(
      session,
      async () => await session.append(answer),
      async (options) => await session.note(TURN_NOTE, mark, options),
    );
    this.#kept(first);
    if (second.status === "rejected") return;
    this.#kept(second.value);
    this.isEnded = true;
  }

  /** What an estimate for the turn's model is multiplied by. Read once: under the session's lock nobody else learns another one. */
  async correction(): Promise<number> {
    return (this.#correction ??= await correctionOf(this.session, this.settings.model.name));
  }

  /** Makes the next estimates for this model better. */
  async keepCounted(): Promise<void> {
    const { counted } = this;
    this.counted = undefined;
    if (counted !== undefined) this.#correction = await reportUsage(this.session, counted);
  }

  /** The words of a user, in the view from now on. Their seq: an older one, if they were there already. */
  async hear(said: Said): Promise<number> {
    return this.#heard(said, await this.#keepWords(said, {}));
  }

  async #keepWords(said: Said, options: WriteOptions): Promise<Written> {
    const { id } = said;
    return await this.session.append(userMessage(said), id === undefined ? options : { ...options, id });
  }

  #heard(said: Said, written: Written): number {
    this.about = messageText(userMessage(said).content);
    return this.#kept(written);
  }

  #kept({ seq }: Written): number {
    this.seq = Math.max(this.seq, seq);
    return seq;
  }
}

export function userMessage({ text, name }: Said): Message {
  return { role: "user", content: text, ...(name === undefined ? {} : { name }) };
}
