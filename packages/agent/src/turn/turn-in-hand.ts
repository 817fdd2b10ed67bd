/** A turn while it runs: what its steps share. */

import type { Message, Session } from "@longhand/store";
import { reportUsage, type UsageReport } from "@longhand/store/context";
import type { TurnEvent, TurnOutcome } from "../events.ts";
import { messageText } from "../message-text.ts";
import { CallIds } from "./call-ids.ts";
import type { FullSettings } from "./full-settings.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import { SameCalls } from "./same-calls.ts";
import type { StepCall } from "./step-call.ts";
import type { TurnFailure } from "./turn-log.ts";
import type { RunningTurn, Said } from "./types.ts";

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

  async append(message: Message, id?: string): Promise<number> {
    const { seq } = await this.session.append(message, id === undefined ? {} : { id });
    this.seq = Math.max(this.seq, seq);
    return seq;
  }

  async note(kind: string, data: unknown): Promise<void> {
    const { seq } = await this.session.note(kind, data);
    this.seq = Math.max(this.seq, seq);
  }

  /** Makes the next estimates for this model better. */
  async keepCounted(): Promise<void> {
    const { counted } = this;
    this.counted = undefined;
    if (counted !== undefined) await reportUsage(this.session, counted);
  }

  /** The words of a user, in the view from now on. Their seq: an older one, if they were there already. */
  async hear(said: Said): Promise<number> {
    const message = userMessage(said);
    const seq = await this.append(message, said.id);
    this.about = messageText(message.content);
    return seq;
  }
}

export function userMessage({ text, name }: Said): Message {
  return { role: "user", content: text, ...(name === undefined ? {} : { name }) };
}
