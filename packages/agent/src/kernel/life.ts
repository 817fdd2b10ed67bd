/**
 * One life of an actor, from its factory to its stop(): nothing it does can hold up the kernel for ever. Each of its steps ends when
 * it settles, when its time is over, or when it is abandoned; then it may go on, but nobody listens.
 */

import { AgentError } from "../errors.ts";
import { after } from "./after.ts";
import type { Actor, ActorFactory } from "./types.ts";

/** Milliseconds for the stop() of an actor that did not react to anything before. */
const LAST_MOMENT = 1000;

export class Life<M> {
  readonly #name: string;
  #actor: Actor<M> | undefined;
  /** Made when somebody looks at it: most actors never do, and there are many. */
  #ending: AbortController | undefined;
  #endedBy: Error | undefined;
  #isAbandoned = false;
  #abandonStep: ((why: Error) => void) | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Tells the actor that it is to stop at once. */
  abort(why: Error): void {
    this.#endedBy ??= why;
    this.#ending?.abort(this.#endedBy);
  }

  /** Ends the step it is in, whatever that does. */
  abandon(why: Error): void {
    this.#isAbandoned = true;
    this.#abandonStep?.(why);
  }

  async begin(factory: ActorFactory<M>, offer: (message: M) => boolean): Promise<void> {
    const signal = (): AbortSignal => this.#signal();
    const self = {
      name: this.#name,
      offer,
      get signal(): AbortSignal {
        return signal();
      },
    };
    const make = async (): Promise<Actor<M>> => {
      const actor = await factory(self);
      // Made too late for anybody to use it; what it holds must be given back nevertheless.
      if (this.#isAbandoned) await actor.stop?.();
      return actor;
    };
    this.#actor = await this.#step(make(), "be made", Infinity);
  }

  /** A message that takes longer than `limit` is given up, and the actor told to stop. `undefined`: it was handled at once. */
  receive(message: M, limit: number): Promise<void> | undefined {
    const done = this.#actor?.receive(message);
    if (done === undefined) return undefined;
    return this.#step(done, "finish a message", limit);
  }

  /** Once. One that was abandoned is still asked to give back what it holds, and gets a moment for it. */
  async stop(limit: number): Promise<void> {
    const actor = this.#actor;
    if (actor?.stop === undefined) return;
    this.#actor = undefined;
    const done = actor.stop();
    if (done !== undefined)
      await this.#step(done, "finish its stop()", this.#isAbandoned ? LAST_MOMENT : limit);
  }

  #step<T>(work: Promise<T>, what: string, limit: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cancel = after(limit, () => {
        const error = this.#tooSlow(what, limit);
        reject(error);
        this.abort(error);
      });
      this.#abandonStep = (why) => {
        cancel();
        reject(why);
      };
      Promise.resolve(work).then(resolve, reject).finally(cancel);
    });
  }

  #tooSlow(what: string, limit: number): AgentError {
    return new AgentError("NO_ANSWER", `${this.#name} did not ${what} within ${limit} ms`, {
      actor: this.#name,
      limit,
    });
  }

  #signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#endedBy !== undefined && !this.#ending.signal.aborted) this.#ending.abort(this.#endedBy);
    return this.#ending.signal;
  }
}
