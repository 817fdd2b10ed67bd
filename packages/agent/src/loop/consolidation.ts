/**
 * When turns become memory: one policy for every surface (chat, -m, pipe, serve). docs/memory.md#when-turns-are-consolidated
 *
 * A session is marked in the memory before its turn is written (session-marks.ts), so that nothing is lost by a crash. Its turns are consolidated in one
 * request after `batchTurns` turns, when nothing was said for `idleMs`, when the conversation ends while the program goes on, or
 * beside the first answer of the next start. The end of a program begins nothing and waits at most `graceMs`.
 */

import type { Session } from "@longhand/store";
import type { AskModel } from "@longhand/store/context";
import type { DueSession, Memory, Scope } from "@longhand/store/memory";
import { AgentError } from "../errors.ts";
import type { ActorRef, Kernel } from "../kernel/types.ts";
import { atMost } from "./at-most.ts";
import { BackgroundTimers } from "./background-timers.ts";
import { dueCode } from "./due-code.ts";
import { reasonOf } from "./reason-of.ts";
import type { Refusable } from "./refusable.ts";
import { pauseLeftMs, retryPauseMs } from "./retry-pause.ts";
import { SessionMarks, type SessionToMark } from "./session-marks.ts";
import type { CaughtUp, ConsolidationSettings, Problem } from "./types.ts";

/** After so many answers that are not JSON the turns become a plain daily entry: such a model will not do better. */
const MOST_BAD_ANSWERS = 3;
/** A single failure may be the end of a program: the next start tries at once. */
const FAILURES_THAT_A_START_RESPECTS = 2;

export const CONSOLIDATION_DEFAULTS: Required<ConsolidationSettings> = {
  batchTurns: 6,
  idleMs: 5 * 60_000,
  startDelayMs: 10_000,
  graceMs: 1000,
};

export interface ConsolidationDeps {
  readonly agent: string;
  readonly memory: Pick<Memory, "due" | "markDue" | "consolidate"> | undefined;
  readonly session: (key: string) => Session;
  /** `undefined`: the model cannot do it (the offline assistant). Then nothing is marked either. */
  readonly ask: () => AskModel | undefined;
  readonly onProblem: (problem: Problem) => void;
  readonly settings?: ConsolidationSettings | undefined;
}

interface Job extends Refusable {
  readonly due: SessionToMark;
  /** The pause after a failure does not count. */
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
  readonly #timers = new BackgroundTimers();
  readonly #marks: SessionMarks;
  #atStart: Promise<readonly DueSession[]> | undefined;
  #hasBegunCatchUp = false;
  #failedStarts = 0;
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
    this.#marks = new SessionMarks({
      markDue: async (session) => await this.#mark(session),
      onProblem: (reason) => this.#notify(reason),
      later: (milliseconds, run) => void this.#timers.later(milliseconds, run),
    });
    if (deps.memory !== undefined)
      this.#timers.later(this.#settings.startDelayMs, () => this.#catchUpOnce(true));
  }

  /** Before the first record of a turn, under the session's lock. Never rejects: a turn does not depend on the memory. */
  async turnBegins(key: string, scope: Scope): Promise<void> {
    if (this.#deps.memory === undefined || this.#deps.ask() === undefined) return;
    await this.#marks.mark({ key, scope });
  }

  async #mark(session: SessionToMark): Promise<void> {
    // First what an earlier program has left: the marks of this one are no part of that.
    await this.#dueAtStart().catch((error: unknown) => this.#notify(reasonOf(error)));
    await this.#deps.memory?.markDue(session);
  }

  /** The model has begun to answer, so that a request beside it cannot delay the answer: the catch-up of a start begins. */
  answerBegins(): void {
    this.#catchUpOnce(false);
  }

  /** Once beside an answer, or after a while; then also what the end of a program had cut short, before its pause is over. */
  #catchUpOnce(runsForAWhile: boolean): void {
    if (this.#isStopping || (this.#hasBegunCatchUp && !runsForAWhile)) return;
    const isSecond = this.#hasBegunCatchUp;
    this.#hasBegunCatchUp = true;
    this.#catchUpStart(runsForAWhile, isSecond).catch((error: unknown) => {
      this.#notify(reasonOf(error));
      this.#failedStarts += 1;
      this.#timers.later(retryPauseMs(this.#failedStarts), () => {
        this.#hasBegunCatchUp = false;
        this.#catchUpOnce(true);
      });
    });
  }

  async #catchUpStart(runsForAWhile: boolean, isSecond: boolean): Promise<void> {
    const isCutShort = ({ failureKind }: DueSession): boolean => failureKind === "cut-short";
    const due = await this.#dueAtStart();
    // A program of one message would cut it short again, and its end would wait for that: not each time.
    await this.#consolidateAll(isSecond ? due.filter(isCutShort) : due, (each) =>
      isCutShort(each) ? runsForAWhile : each.failures < FAILURES_THAT_A_START_RESPECTS,
    );
  }

  turnEnded(key: string, scope: Scope): void {
    if (this.#deps.memory === undefined || this.#isStopping) return;
    this.#stopIdling(key, scope);
    const code = dueCode({ key, scope });
    const counted = this.#counted.get(code) ?? { turns: 0, idle: undefined };
    counted.turns += 1;
    this.#counted.set(code, counted);
    if (counted.turns >= this.#settings.batchTurns) this.conversationEnded(key, scope);
    else counted.idle = this.#timers.later(this.#settings.idleMs, () => this.conversationEnded(key, scope));
  }

  /** Nothing more is expected for now: what was said since the last batch is one. */
  conversationEnded(key: string, scope: Scope): void {
    this.#stopIdling(key, scope);
    if (!this.#counted.delete(dueCode({ key, scope }))) return;
    void this.#order({ key, scope }, false);
  }

  /** Every session that waits, now: a person asked for it. */
  async catchUp(): Promise<CaughtUp> {
    const done = await this.#consolidateAll(await this.#dueNow(), () => true);
    const left = await this.#dueNow();
    const open = left.filter(({ hasOpenTurn }) => hasOpenTurn === true).length;
    return { ...done, waiting: left.length - open, open };
  }

  /** One after another. After a failure no other is tried for a while: the model may be out of reach. `stops`: in a row, this one too. */
  async #consolidateAll(
    due: readonly DueSession[],
    isForced: (session: DueSession) => boolean,
    stops = 1,
  ): Promise<Pick<CaughtUp, "consolidated" | "failure">> {
    let consolidated = 0;
    for (const [index, each] of due.entries()) {
      const outcome = await this.#order(each, isForced(each));
      if (outcome === "consolidated") consolidated += 1;
      if (typeof outcome !== "object") continue;
      const [rest, inARow] = [due.slice(index + 1), consolidated > 0 ? 1 : stops];
      const tryRest = (): void => void this.#consolidateAll(rest, () => false, inARow + 1);
      if (rest.length > 0) this.#timers.later(retryPauseMs(inARow), tryRest);
      return { consolidated, failure: outcome.failure };
    }
    return { consolidated, failure: undefined };
  }

  /** Waits at most `graceMs` for the request in flight, then aborts it; what is not done is caught up at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#timers.stop();
    await atMost(this.#settings.graceMs, Promise.all([this.#working, this.#marks.markRest()]));
    this.#ending.abort(new AgentError("LOOP_CLOSED", "the program ended before the model had answered"));
    await this.#actor.stop({ now: true });
  }

  async #order(due: SessionToMark, isForced: boolean): Promise<Outcome> {
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
      this.#retryIn(retryPauseMs(1), due);
    } finally {
      if (typeof outcome === "object" && !this.#isStopping) this.#notify(outcome.failure);
      done(outcome);
    }
  }

  async #consolidate({ key, scope }: SessionToMark, isForced: boolean): Promise<Outcome> {
    const { memory, session } = this.#deps;
    const model = this.#deps.ask();
    if (memory === undefined || model === undefined) return "waits";
    const code = dueCode({ key, scope });
    const mark = (await memory.due()).find((each) => dueCode(each) === code);
    const pauseMs = mark === undefined ? 0 : pauseLeftMs(mark, Date.now());
    if (pauseMs > 0 && !isForced) {
      this.#retryIn(pauseMs, { key, scope });
      return "waits";
    }
    const onBadAnswer = (mark?.badAnswers ?? 0) + 1 >= MOST_BAD_ANSWERS ? "plain" : "keep";
    const { signal } = this.#ending;
    const done = await memory.consolidate(session(key), { scope, model, signal, onBadAnswer });
    if (done.failure !== undefined && done.range === undefined) {
      this.#retryIn(retryPauseMs((mark?.failures ?? 0) + 1), { key, scope });
      return { failure: done.failure };
    }
    if (done.range === undefined) return "nothing";
    // What did not fit into one request.
    if (done.hasMore) this.#retryIn(this.#settings.idleMs, { key, scope });
    return "consolidated";
  }

  /** Read once; read again only if that failed. */
  async #dueAtStart(): Promise<readonly DueSession[]> {
    const reading = (this.#atStart ??= this.#dueNow());
    try {
      return await reading;
    } catch (error) {
      if (this.#atStart === reading) this.#atStart = undefined;
      throw error;
    }
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

  #retryIn(milliseconds: number, { key, scope }: SessionToMark): void {
    const code = dueCode({ key, scope });
    if (this.#retries.has(code)) return;
    this.#retries.add(code);
    this.#timers.later(milliseconds, () => {
      this.#retries.delete(code);
      void this.#order({ key, scope }, false);
    });
  }

  #stopIdling(key: string, scope: Scope): void {
    this.#counted.get(dueCode({ key, scope }))?.idle?.();
  }
}
