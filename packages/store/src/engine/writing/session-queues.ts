/** The writes of each key in the order of the calls, those of different keys side by side. */

import type { Operation } from "../../contract/backend.ts";
import type { Written } from "../../contract/types.ts";
import { Rendezvous } from "./rendezvous.ts";
import { SessionWriter, type WriterDeps } from "./session-writer.ts";

export class SessionQueues {
  readonly #writers = new Map<string, SessionWriter>();
  readonly #deps: WriterDeps;

  constructor(deps: Omit<WriterDeps, "onIdle">) {
    this.#deps = { ...deps, onIdle: (key) => this.#writers.delete(key) };
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#writerOf(key).write(operation);
  }

  /** After everything that was asked of the key before, and before everything that is asked later. */
  async runAlone(key: string, task: () => Promise<void>): Promise<void> {
    await this.#writerOf(key).runAlone(task);
  }

  /** The same for two keys at once: the task has its place in both lines from now on. */
  async runAloneWithBoth(one: string, other: string, task: () => Promise<void>): Promise<void> {
    const rendezvous = new Rendezvous();
    const waiting = this.#writerOf(other).runAlone(async () => await rendezvous.wait());
    await this.#writerOf(one).runAlone(async () => await rendezvous.hold(task));
    await waiting;
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#writers.size > 0) {
      await Promise.all([...this.#writers.values()].map(async (writer) => await writer.idle()));
    }
  }

  #writerOf(key: string): SessionWriter {
    const existing = this.#writers.get(key);
    if (existing !== undefined) return existing;
    const writer = new SessionWriter(key, this.#deps);
    this.#writers.set(key, writer);
    return writer;
  }
}
