/**
 * How an instance that may not go on stops: nothing more is committed or landed, and it declares itself dead, so that
 * whoever opens the store next takes over what it has acknowledged. And the looks that tell it to: whether somebody has
 * taken it over, and whether the directory is still its own.
 */

import { LonghandError } from "../../../errors.ts";
import { ioError } from "../../../host/io-error.ts";
import type { Committer } from "../../../journal/committer.ts";
import type { Instance } from "../instance/begin-instance.ts";
import type { Landing } from "./landing.ts";
import type { StoreHealth } from "./store-health.ts";

export interface StoppingSurroundings {
  readonly directory: string;
  readonly instance: Instance;
  readonly health: StoreHealth;
  readonly landing: Landing;
  committer(): Committer;
  onError(error: LonghandError): void;
}

export class Stopping {
  readonly #around: StoppingSurroundings;

  constructor(around: StoppingSurroundings) {
    this.#around = around;
  }

  /** After a durable write and before its answer: rejects if somebody else has taken over. */
  async checkFence(): Promise<void> {
    const { instance, health } = this.#around;
    const lost = await instance.whyLost().catch((cause: unknown) => {
      throw health.unknownOutcome("whether the store was taken over cannot be told", cause);
    });
    if (lost !== undefined) throw health.unknownOutcome(lost);
  }

  /** Before anything is made or read by its path: it must be the directory that was opened. */
  async checkPlace(): Promise<void> {
    const { instance, directory } = this.#around;
    const lost = await instance.whyLost();
    if (lost === undefined) return;
    const message = `${directory}: ${lost}; nothing was written. Reopen the store`;
    throw await this.stop(new LonghandError("STORE_FAILED", message, { directory }));
  }

  /** Which names are on the disk is unknown. Answers with what to tell. */
  async namesUnknown(cause: unknown): Promise<LonghandError> {
    return await this.stop(this.#around.health.unknownOutcome("syncing the directory failed", cause));
  }

  /** Answers with the same failure. */
  async stop(failure: LonghandError): Promise<LonghandError> {
    await this.#around.committer().stop(failure);
    await this.fail(failure);
    return failure;
  }

  /** The committer has stopped already. */
  async fail(failure: LonghandError): Promise<void> {
    const { directory, instance, health, landing } = this.#around;
    if (health.failure !== undefined) return;
    health.failure = failure;
    await landing.stop(failure);
    try {
      await instance.giveUp();
    } catch (error) {
      this.#around.onError(ioError(error, "giving up the store", directory));
    }
  }
}
