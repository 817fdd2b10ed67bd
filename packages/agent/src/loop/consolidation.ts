/**
 * When turns become memory: one policy for every surface (chat, -m, pipe, serve). docs/memory.md#when-turns-are-consolidated
 *
 * A session is marked in the memory before its turn is written, so that nothing is lost by a crash. Its turns are consolidated in one
 * request after `batchTurns` turns, when nothing was said for `idleMs`, when the conversation ends while the program goes on, or
 * beside the first answer of the next start. The end of a program begins nothing and waits at most `graceMs`.
 */

import type { Session } from "@longhand/store";
import type { AskModel } from "@longhand/store/context";
import type { DueSession, Memory, Scope } from "@longhand/store/memory";
import { AgentError } from "../errors.ts";
import { after } from "../kernel/after.ts";
import type { ActorRef, Kernel } from "../kernel/types.ts";
import type { Refusable } from "./refusable.ts";
import type { CaughtUp, ConsolidationSettings, Problem } from "./types.ts";

const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 24 * 60 * 60_000;
/** After so many answers that are not JSON the turns become a plain daily entry: such a model will not do better. */
const MOST_BAD_ANSWERS = 3;
const CUT_SHORT = "the program ended before the model had answered";
/** A memory that another process holds up must not hold up a turn. */
const LONGEST_MARK_MS = 2000;

export const CONSOLIDATION_DEFAULTS: Required<ConsolidationSettings> = {
  batchTurns: 6,
  idleMs: 5 * 60_000,
  startDelayMs: 10_000,
  graceMs: 1000,
};

export interface ConsolidationDeps {
  readonly agent: string;
  readonly memory: Memory | undefined;
  readonly session: (key: string) => Session;
  /** `undefined`: the model cannot do it (the offline assistant). Then nothing is marked either. */
  readonly ask: () => AskModel | undefined;
  readonly onProblem: (problem: Problem) => void;
  readonly settings?: ConsolidationSettings | undefined;
}

interface Job extends Refusable {
  readonly due: Pick<DueSession, "key" | "scope">;
  /** A person asked for it: the pause after a failure does not count. */
  readonly isForced: boolean;
  readonly done: (outcome: Outcome) => void;
}

type Outcome = "consolidated" | "nothing" | "waits" | { readonly failure: string };

interface Counted {
  turns: number;
  /** Calls the idle timer off. */
  idle: (() => void) | undefined;
}

export class Consolidation {
  readonly #deps: ConsolidationDeps;
  readonly #settings: Required<ConsolidationSettings>;
  readonly #actor: ActorRef<Job>;
  readonly #ending = new AbortController();
  /** Sessions with turns since their last batch, in this process. */
  readonly #counted = new Map<string, Counted>();
  /** Sessions that have a timer for their next try. */
  readonly #retries = new Set<string>();
  readonly #timers = new Set<() => void>();
  #atStart: Promise<readonly DueSession[]> | undefined;
  #catchingUp: Promise<unknown> | undefined;
  #working: Promise<void> = Promise.resolve();
  #hasNotified = false;
  #isStopping = false;

  constructor(kernel: Kernel, deps: ConsolidationDeps) {
    this.#deps = deps;
    this.#settings = { ...CONSOLIDATION_DEFAULTS, ...deps.settings };
    this.#actor = kernel.spawn<Job>({ name: `${deps.agent}: consolidation` }, () => ({
      receive: async (job) => {
        const working = this.#work(job);
        this.#working = working;
        await working;
      },
    }));
    if (deps.memory !== undefined) this.#later(this.#settings.startDelayMs, () => this.#catchUpOnce(true));
  }

  /** Before the first record of a turn, under the session's lock. Never rejects: a turn does not depend on the memory. */
  async turnBegins(key: string, scope: Scope): Promise<void> {
    const { memory, ask } = this.#deps;
    if (memory === undefined || ask() === undefined) return;
    const mark = async (): Promise<void> => {
      // First what an earlier program has left: the marks of this one are no part of that.
      await this.#dueAtStart(memory);
      await memory.markDue({ key, scope });
    };
    await atMost(
      LONGEST_MARK_MS,
      mark().catch((error: unknown) => this.#notify(reasonOf(error))),
    );
  }

  /** The model has begun to answer, so that a request beside it cannot delay the answer: the catch-up of a start begins. */
  answerBegins(): void {
    this.#catchUpOnce(false);
  }

  /** Where the end of a program has cut a try short, only a program that runs for a while tries again: `-m` would cut it short too. */
  #catchUpOnce(runsForAWhile: boolean): void {
    const { memory } = this.#deps;
    if (memory === undefined || this.#isStopping || this.#catchingUp !== undefined) return;
    this.#catchingUp = this.#dueAtStart(memory)
      .then(async (due) => {
        if (runsForAWhile || !due.some(({ failure }) => failure === CUT_SHORT))
          await this.#consolidateAll(due, false);
        else this.#catchingUp = undefined;
      })
      .catch((error: unknown) => this.#notify(reasonOf(error)));
  }

  turnEnded(key: string, scope: Scope): void {
    if (this.#deps.memory === undefined || this.#isStopping) return;
    this.#stopIdling(key, scope);
    const counted = this.#counted.get(codeOf(key, scope)) ?? { turns: 0, idle: undefined };
    counted.turns += 1;
    this.#counted.set(codeOf(key, scope), counted);
    if (counted.turns >= this.#settings.batchTurns) this.conversationEnded(key, scope);
    else counted.idle = this.#later(this.#settings.idleMs, () => this.conversationEnded(key, scope));
  }

  /** Nothing more is expected for now: what was said since the last batch is one. */
  conversationEnded(key: string, scope: Scope): void {
    this.#stopIdling(key, scope);
    if (!this.#counted.delete(codeOf(key, scope))) return;
    void this.#order({ key, scope }, false);
  }

  /** Every session that waits, now: a person asked for it. */
  async catchUp(): Promise<CaughtUp> {
    return await this.#consolidateAll(await this.#dueNow(), true);
  }

  /** One after another; after a model that cannot be reached, no other is tried. */
  async #consolidateAll(due: readonly DueSession[], isForced: boolean): Promise<CaughtUp> {
    let consolidated = 0;
    let failure: string | undefined;
    for (const each of this.#deps.ask() === undefined ? [] : due) {
      const outcome = await this.#order(each, isForced);
      if (outcome === "consolidated") consolidated += 1;
      if (typeof outcome === "object") failure = outcome.failure;
      if (failure !== undefined) break;
    }
    return { consolidated, failure, waiting: (await this.#dueNow()).length };
  }

  /** Waits at most `graceMs` for the request in flight, then aborts it; what is not done is caught up at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const callOff of this.#timers) callOff();
    await atMost(this.#settings.graceMs, this.#working);
    this.#ending.abort(new AgentError("LOOP_CLOSED", CUT_SHORT));
    await this.#actor.stop({ now: true });
  }

  async #order(due: Job["due"], isForced: boolean): Promise<Outcome> {
    return await new Promise<Outcome>((resolve) => {
      const job = { due, isForced, done: resolve, refuse: () => resolve("waits") };
      if (this.#isStopping || !this.#actor.offer(job)) resolve("waits");
    });
  }

  async #work({ due, isForced, done }: Job): Promise<void> {
    let outcome: Outcome = "waits";
    try {
      if (!this.#isStopping) outcome = await this.#consolidate(due, isForced);
    } catch (error) {
      outcome = { failure: reasonOf(error) };
    } finally {
      if (typeof outcome === "object" && !this.#isStopping) this.#notify(outcome.failure);
      done(outcome);
    }
  }

  async #consolidate({ key, scope }: Job["due"], isForced: boolean): Promise<Outcome> {
    const { memory, session } = this.#deps;
    const model = this.#deps.ask();
    if (memory === undefined || model === undefined) return "waits";
    const code = codeOf(key, scope);
    const mark = (await memory.due()).find((each) => codeOf(each.key, each.scope) === code);
    const pauseMs = mark === undefined ? 0 : retryAt(mark) - Date.now();
    if (pauseMs > 0 && !isForced) {
      this.#retryIn(pauseMs, { key, scope });
      return "waits";
    }
    const onBadAnswer = (mark?.failures ?? 0) + 1 >= MOST_BAD_ANSWERS ? "plain" : "keep";
    const { signal } = this.#ending;
    const done = await memory.consolidate(session(key), { scope, model, signal, onBadAnswer });
    if (done.failure !== undefined && done.range === undefined) {
      this.#retryIn(retryPauseMs((mark?.failures ?? 0) + 1), { key, scope });
      return { failure: done.failure };
    }
    if (done.range === undefined) return "nothing";
    // What did not fit into one request, or was said meanwhile.
    if (done.hasMore) this.#retryIn(this.#settings.idleMs, { key, scope });
    return "consolidated";
  }

  async #dueAtStart(memory: Memory): Promise<readonly DueSession[]> {
    return await (this.#atStart ??= memory.due());
  }

  async #dueNow(): Promise<readonly DueSession[]> {
    return this.#isStopping ? [] : ((await this.#deps.memory?.due()) ?? []);
  }

  /** Once in a run: `longhand doctor` has the details. */
  #notify(reason: string): void {
    if (this.#hasNotified || this.#isStopping) return;
    this.#hasNotified = true;
    const message = `the memory is behind: ${reason.replace(/\.$/u, "")}; it is tried again later, and longhand doctor shows what waits`;
    this.#deps.onProblem({ agent: this.#deps.agent, code: "MEMORY_LATE", message });
  }

  #retryIn(milliseconds: number, { key, scope }: Job["due"]): void {
    const code = codeOf(key, scope);
    if (this.#retries.has(code)) return;
    this.#retries.add(code);
    this.#later(milliseconds, () => {
      this.#retries.delete(code);
      void this.#order({ key, scope }, false);
    });
  }

  #later(milliseconds: number, run: () => void): () => void {
    const callOff = after(
      milliseconds,
      () => {
        this.#timers.delete(callOff);
        if (!this.#isStopping) run();
      },
      true,
    );
    this.#timers.add(callOff);
    return callOff;
  }

  #stopIdling(key: string, scope: Scope): void {
    const idle = this.#counted.get(codeOf(key, scope))?.idle;
    if (idle === undefined) return;
    idle();
    this.#timers.delete(idle);
  }
}

/** In milliseconds: one minute after the first failure, then twice as long each time, up to a day. */
export function retryPauseMs(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1));
}

/** When a session that waits may be tried; 0: at once. After a single failure, which may be the end of a program, the next start tries. */
export function retryAt({ failures, failedAt }: Pick<DueSession, "failures" | "failedAt">): number {
  return failedAt === undefined || failures < 2 ? 0 : Date.parse(failedAt) + retryPauseMs(failures - 1);
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let callOff = (): void => undefined;
  const late = new Promise<void>((resolve) => (callOff = after(milliseconds, resolve)));
  await Promise.race([work, late]);
  callOff();
}

function codeOf(key: string, { user, channel, agent }: Scope): string {
  return JSON.stringify([key, user ?? null, channel ?? null, agent ?? null]);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
