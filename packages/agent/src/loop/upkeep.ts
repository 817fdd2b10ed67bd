/**
 * What follows a turn in the background: compaction. (Consolidation: consolidation.ts.) An actor for each lane, a session always in the same
 * one, so that a session is never worked on twice at once and a slow model holds up one lane only.
 */

import { createHash } from "node:crypto";
import { isLonghandError, type Session } from "@longhand/store";
import {
  compactSession,
  DEFAULT_CONTEXT_TOKENS,
  DEFAULT_HISTORY_MESSAGES,
  type AskModel,
} from "@longhand/store/context";
import type { ActorRef, Kernel } from "../kernel/types.ts";
import type { TurnRequest } from "../turn/turn-request.ts";
import type { Refusable } from "./refusable.ts";
import type { Problem } from "./types.ts";

const LANES = 4;
/** Of a request: kept free for the next question, so that it seldom waits for a compaction. */
const NEXT_QUESTION = 1 / 8;
const nextQuestion = (maxTokens: number): number => Math.floor(maxTokens * NEXT_QUESTION);

export interface UpkeepSettings {
  readonly agent: string;
  readonly maxHistoryMessages: number | undefined;
  readonly maxContextTokens: number | undefined;
  /** As the next request of this session would be built. */
  readonly request: (key: string) => Promise<TurnRequest>;
  /** Absent: the model cannot write summaries. */
  readonly ask: () => { readonly model: string; readonly ask: AskModel | undefined };
  readonly onProblem: (problem: Problem) => void;
}

export interface UpkeepOrder {
  readonly session: Session;
  /** Tokens that the next request has left. `undefined`: not known. */
  readonly free: number | undefined;
  readonly onCompaction: (seq: number, messages: number) => void;
  /** Told when it is done, or will not be. */
  readonly done: () => void;
}

type Job = UpkeepOrder & Refusable;

export class Upkeep {
  readonly #settings: UpkeepSettings;
  readonly #kernel: Kernel;
  readonly #lanes: ActorRef<Job>[] = [];
  readonly #ending = new AbortController();

  constructor(kernel: Kernel, settings: UpkeepSettings) {
    this.#kernel = kernel;
    this.#settings = settings;
  }

  /** Left out where the lane is full: the next turn of the session orders it again. */
  order(order: UpkeepOrder): void {
    if (!this.#laneOf(order.session.key).offer({ ...order, refuse: order.done })) order.done();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#lanes.map((lane) => lane.stop({ now: true })));
  }

  #laneOf(key: string): ActorRef<Job> {
    const number = (createHash("sha256").update(key).digest()[0] ?? 0) % LANES;
    return (this.#lanes[number] ??= this.#kernel.spawn<Job>(
      { name: `${this.#settings.agent}: upkeep ${number}` },
      () => ({ receive: async (order) => await this.#work(order) }),
    ));
  }

  async #work(order: UpkeepOrder): Promise<void> {
    try {
      if (!this.#ending.signal.aborted && !(await this.#isWithinLimits(order))) await this.#compact(order);
    } catch (error) {
      // Another process has a turn there, or the loop is closing: the next turn orders it again.
      if (isLonghandError(error, "SESSION_LOCKED") || this.#ending.signal.aborted) return;
      // There is no room for another question of that size. A turn without any room fails with the same error itself.
      if (isLonghandError(error, "OPTION_INVALID") && error.detail["noRoomFor"] === "conversation") return;
      this.#tell(error);
    } finally {
      order.done();
    }
  }

  /** As the turn has measured it: then the view need not be read once more. */
  async #isWithinLimits({ session, free = 0 }: UpkeepOrder): Promise<boolean> {
    const { maxContextTokens = DEFAULT_CONTEXT_TOKENS, maxHistoryMessages = DEFAULT_HISTORY_MESSAGES } =
      this.#settings;
    if (free <= nextQuestion(maxContextTokens)) return false;
    return ((await session.state())?.count ?? 0) <= maxHistoryMessages;
  }

  async #compact({ session, onCompaction }: UpkeepOrder): Promise<void> {
    const { maxHistoryMessages } = this.#settings;
    const { ask } = this.#settings.ask();
    const { model, system, tools, maxTokens, reserve } = await this.#settings.request(session.key);
    const compaction = await compactSession(session, {
      ...{ model, system, tools, maxContextTokens: maxTokens },
      reserve: reserve + nextQuestion(maxTokens),
      ...(ask === undefined ? {} : { ask }),
      ...(maxHistoryMessages === undefined ? {} : { maxHistoryMessages }),
      signal: this.#ending.signal,
    });
    if (!compaction.done) return;
    onCompaction(compaction.seq, compaction.messages);
  }

  #tell(error: unknown): void {
    const code = isLonghandError(error) ? error.code : "UPKEEP_FAILED";
    const message = error instanceof Error ? error.message : String(error);
    this.#settings.onProblem({ agent: this.#settings.agent, code, message });
  }
}
