/** The kernel: actors by name, services in order, and an end that comes for all of them. docs/kernel.md */

import { AgentError } from "../errors.ts";
import { Breather } from "./breather.ts";
import { checkSpawnOptions, checkWithin } from "./check-options.ts";
import { monotonicNow } from "./monotonic-clock.ts";
import { Services } from "./services.ts";
import { SupervisedActor } from "./supervised-actor.ts";
import type { ActorFactory, ActorRef, Kernel, KernelEvent, Service, SpawnOptions } from "./types.ts";

export interface KernelOptions {
  /** Told of crashes and of messages that nobody will handle. It should not throw: what it throws becomes a warning of the process. */
  readonly onEvent: (event: KernelEvent) => void;
}

export function createKernel(options: KernelOptions): Kernel {
  return new ActorKernel(options.onEvent);
}

class ActorKernel implements Kernel {
  readonly #onEvent: (event: KernelEvent) => void;
  readonly #actors = new Map<string, ActorRef<never>>();
  readonly #services = new Services();
  readonly #breather = new Breather();
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(onEvent: (event: KernelEvent) => void) {
    this.#onEvent = onEvent;
  }

  spawn<M>(options: SpawnOptions, factory: ActorFactory<M>): ActorRef<M> {
    checkSpawnOptions(options);
    const { name } = options;
    if (this.#isClosed) {
      throw new AgentError("ACTOR_STOPPED", `the kernel is closed; ${name} was not started`, { actor: name });
    }
    if (this.#actors.has(name)) {
      throw new AgentError(
        "NAME_TAKEN",
        `an actor ${name} runs already; stop it first, or choose another name`,
        {
          actor: name,
        },
      );
    }
    const actor = new SupervisedActor(options, factory, {
      breather: this.#breather,
      report: this.#report,
      ended: () => this.#actors.delete(name),
    });
    this.#actors.set(name, actor);
    return actor;
  }

  find(name: string): ActorRef<never> | undefined {
    return this.#actors.get(name);
  }

  actors(): readonly string[] {
    return [...this.#actors.keys()];
  }

  async startServices(services: readonly Service[]): Promise<void> {
    await this.#services.start(services);
  }

  async close({ within = 10_000 }: { within?: number } = {}): Promise<void> {
    checkWithin(within);
    await (this.#closing ??= this.#close(monotonicNow() + within));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(due: number): Promise<void> {
    const failures = await this.#services.stop(due);
    // Services may still need actors to stop; from here on nothing new begins.
    this.#isClosed = true;
    const left = Math.max(due - monotonicNow(), 0);
    await Promise.all(
      [...this.#actors.values()].map(async (actor) => {
        await actor.stop({ within: left });
      }),
    );
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, "several services could not be stopped");
  }

  readonly #report = (event: KernelEvent): void => {
    try {
      this.#onEvent(event);
    } catch (error) {
      // An actor must not crash, or stay, because somebody who watches it did.
      process.emitWarning(
        `onEvent of the kernel has thrown at "${event.type}" of ${event.actor}: ${String(error)}`,
      );
    }
  };
}
