/**
 * An actor with its mailbox under supervision. Promised: a message that was accepted is either handled to its end, once, or reported
 * as undeliverable, once; and once stop() has a limit, the actor ends, whatever it does.
 */

import { AgentError } from "../errors.ts";
import { after } from "./after.ts";
import { BackOff } from "./back-off.ts";
import type { Breather } from "./breather.ts";
import { checkWithin } from "./check-options.ts";
import { deferred } from "./deferred.ts";
import { askByLetter, type Letter } from "./letter.ts";
import { Life } from "./life.ts";
import { Mailbox } from "./mailbox.ts";
import { monotonicNow } from "./monotonic-clock.ts";
import { pause } from "./pause.ts";
import type { ActorFactory, ActorRef, ActorState, Answer, KernelEvent, SpawnOptions } from "./types.ts";

/** Milliseconds for the stop() of an actor that has crashed, before it is made anew without it. */
const STOP_LIMIT = 10_000;
/** Milliseconds between telling an actor to stop at once and abandoning what it does. */
const GRACE = 1000;

export interface ActorSurroundings {
  readonly breather: Breather;
  readonly report: (event: KernelEvent) => void;
  /** It has ended: its name is free. */
  readonly ended: () => void;
}

export class SupervisedActor<M> implements ActorRef<M> {
  readonly name: string;
  readonly #factory: ActorFactory<M>;
  readonly #messageLimit: number;
  readonly #surroundings: ActorSurroundings;
  readonly #mailbox: Mailbox<Letter<M>>;
  readonly #backOff: BackOff;
  readonly #ended = deferred<undefined>();
  readonly #timers = new Set<() => void>();
  #life: Life<M>;
  #restPause: AbortController | undefined;
  #state: ActorState = "starting";
  #isKilled = false;
  #stoppedError: AgentError | undefined;

  constructor(options: SpawnOptions, factory: ActorFactory<M>, surroundings: ActorSurroundings) {
    this.name = options.name;
    this.#factory = factory;
    this.#messageLimit = options.messageLimit ?? Infinity;
    this.#surroundings = surroundings;
    this.#mailbox = new Mailbox(options.mailbox ?? 1000);
    this.#backOff = new BackOff(options.supervision ?? {});
    this.#life = new Life(this.name);
    void this.#run();
  }

  get state(): ActorState {
    return this.#state;
  }

  get waiting(): number {
    return this.#mailbox.size;
  }

  send(message: M, signal?: AbortSignal): Promise<void> {
    return this.#mailbox.put({ message }, signal);
  }

  offer(message: M): boolean {
    return this.#mailbox.offer({ message });
  }

  ask<A>(question: (answer: Answer<A>) => M, deadline: number, signal?: AbortSignal): Promise<A> {
    const post = (letter: Letter<M>, inTime: AbortSignal): Promise<void> => this.#mailbox.put(letter, inTime);
    return askByLetter(this.name, question, post, deadline, signal);
  }

  async stop({ now = false, within = Infinity }: { now?: boolean; within?: number } = {}): Promise<void> {
    checkWithin(within);
    if (!this.#hasEnded()) {
      this.#state = "stopping";
      this.#mailbox.seal(this.#stopped());
      if (now) this.#refuseWaiting("the actor was stopped before its turn came", this.#stopped());
      if (this.#mailbox.size === 0) this.#restPause?.abort(this.#stopped());
      this.#later(within, () => {
        this.#kill();
      });
    }
    await this.#ended.promise;
  }

  /** The lives of the actor, one after another. */
  async #run(): Promise<void> {
    // Not within spawn: what the factory does, also under this name, comes after it.
    await Promise.resolve();
    for (;;) {
      const crash = await this.#live();
      if (crash === undefined) {
        this.#end("stopped");
        return;
      }
      const restartIn = this.#backOff.afterCrash(monotonicNow(), Math.random());
      const isNeeded = this.#state !== "stopping" || this.#mailbox.size > 0;
      if (this.#isKilled || restartIn === undefined || !isNeeded) {
        this.#giveUp(crash.error);
        return;
      }
      if (this.#state !== "stopping") this.#state = "restarting";
      this.#surroundings.report({ type: "crashed", actor: this.name, error: crash.error, restartIn });
      if (!(await this.#rest(restartIn))) {
        this.#end("stopped");
        return;
      }
      this.#life = new Life(this.name);
    }
  }

  /** From the factory to stop(). `undefined`: it ended because it was to. */
  async #live(): Promise<{ error: unknown } | undefined> {
    const life = this.#life;
    const crash = await this.#serve(life);
    try {
      await life.stop(crash === undefined ? Infinity : STOP_LIMIT);
    } catch (error) {
      const both = crash === undefined ? error : bothOf(crash.error, error);
      return { error: both };
    } finally {
      // What it has left running in the background must not go on beside its successor.
      if (crash !== undefined) life.abort(asError(crash.error));
    }
    return crash;
  }

  async #serve(life: Life<M>): Promise<{ error: unknown } | undefined> {
    try {
      await life.begin(this.#factory, (message) => this.offer(message));
    } catch (error) {
      return this.#isKilled ? undefined : { error };
    }
    if (this.#state !== "stopping") this.#state = "running";
    for (;;) {
      await this.#surroundings.breather.breathe();
      const letter = this.#mailbox.tryTake() ?? (await this.#mailbox.take());
      if (letter === undefined) return undefined;
      try {
        await life.receive(letter.message, this.#messageLimit);
      } catch (error) {
        if (this.#isKilled) {
          this.#undeliverable(
            letter,
            "the actor was stopped before it had finished with it",
            this.#stopped(),
          );
          return undefined;
        }
        this.#undeliverable(letter, `the actor crashed over it: ${textOf(error)}`, this.#failed(error));
        return { error };
      }
    }
  }

  /** `false`: it was stopped meanwhile, and nothing waits for which it would have to be made anew. */
  async #rest(milliseconds: number): Promise<boolean> {
    const controller = new AbortController();
    this.#restPause = controller;
    await pause(milliseconds, controller.signal).catch(() => {});
    this.#restPause = undefined;
    return !controller.signal.aborted;
  }

  /** Its time to stop is over: told so, it gets a moment; then it is left to itself. */
  #kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#refuseWaiting("the actor was stopped before its turn came", this.#stopped());
    this.#restPause?.abort(this.#stopped());
    this.#life.abort(this.#stopped());
    this.#later(GRACE, () => {
      this.#life.abandon(this.#stopped());
    });
  }

  #giveUp(error: unknown): void {
    const { crashes } = this.#backOff;
    this.#end("failed", this.#failed(error));
    this.#surroundings.report({ type: "failed", actor: this.name, error, crashes });
  }

  #end(state: "stopped" | "failed", why: Error = this.#stopped()): void {
    this.#state = state;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#refuseWaiting(`the actor has ${state} before its turn came`, why);
    this.#surroundings.ended();
    this.#ended.resolve(undefined);
  }

  #refuseWaiting(reason: string, why: Error): void {
    for (const letter of this.#mailbox.close(why)) this.#undeliverable(letter, reason, why);
  }

  #undeliverable({ message, refuse }: Letter<M>, reason: string, why: Error): void {
    refuse?.(why);
    this.#surroundings.report({ type: "undeliverable", actor: this.name, message, reason });
  }

  #later(milliseconds: number, then: () => void): void {
    const cancel = after(milliseconds, () => {
      this.#timers.delete(cancel);
      then();
    });
    this.#timers.add(cancel);
  }

  #hasEnded(): boolean {
    return this.#state === "stopped" || this.#state === "failed";
  }

  #stopped(): AgentError {
    return (this.#stoppedError ??= new AgentError("ACTOR_STOPPED", `the actor ${this.name} was stopped`, {
      actor: this.name,
    }));
  }

  #failed(error: unknown): AgentError {
    const message = `the actor ${this.name} crashed: ${textOf(error)}`;
    return new AgentError("ACTOR_FAILED", message, { actor: this.name }, error);
  }
}

function bothOf(crash: unknown, stop: unknown): Error {
  return new AggregateError([crash, stop], `${textOf(crash)}; and its stop() failed: ${textOf(stop)}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
