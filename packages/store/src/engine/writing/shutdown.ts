/**
 * How an instance that may not go on stops: nothing more is committed or landed, and when everything that is under way
 * has ended it declares itself dead, so that whoever opens the store next takes over what it has acknowledged. And the
 * looks that tell it to: whether somebody has taken it over, and whether the directory is still its own.
 */

import { LonghandError } from "../../errors.ts";
import { ioError } from "../../host/io-error.ts";
import type { Committer } from "../../wal/committer.ts";
import type { Instance } from "../instance/begin-instance.ts";
import type { RecordApplier } from "./record-applier.ts";
import type { StoreHealth } from "./store-health.ts";

export interface ShutdownDeps {
  readonly directory: string;
  readonly instance: Instance;
  readonly health: StoreHealth;
  readonly applier: RecordApplier;
  committer(): Committer;
  /** Resolves when nothing that changes files is under way any more. What finds the failure must end by itself. */
  idle(): Promise<void>;
  onError(error: LonghandError): void;
}

export class Shutdown {
  readonly #deps: ShutdownDeps;
  #givingUp: Promise<void> | undefined;

  constructor(deps: ShutdownDeps) {
    this.#deps = deps;
  }

  /** After a durable write and before its answer: rejects if somebody else has taken over. */
  async checkFence(): Promise<void> {
    const { instance, health } = this.#deps;
    try {
      if (await instance.isFenceOpen()) return;
    } catch (cause) {
      throw health.unknownOutcome("whether the store was taken over cannot be told", cause);
    }
    const lost = await instance.whyLost().catch(() => undefined);
    throw health.unknownOutcome(lost ?? "its gate was removed, as by a process that takes it over");
  }

  /** Before anything is made or read by its path: it must be the directory that was opened. */
  async checkPlace(): Promise<void> {
    const { instance, directory } = this.#deps;
    const lost = await instance.whyLost();
    if (lost === undefined) return;
    const message = `${directory}: ${lost}; nothing was written. Reopen the store`;
    throw await this.stop(new LonghandError("STORE_FAILED", message, { directory }));
  }

  /**
   * Right before a change that could hide or cut off what another has written since: rejects if he may have begun to.
   * That nobody takes over while we live and go on must be right without it; this is the second line.
   */
  async checkMayChange(): Promise<void> {
    await this.checkPlace();
    this.#deps.health.check();
  }

  /** Which names are on the disk is unknown. Answers with what to tell. */
  async namesUnknown(cause: unknown): Promise<LonghandError> {
    return await this.stop(this.#deps.health.unknownOutcome("syncing the directory failed", cause));
  }

  /** Answers with the same failure. */
  async stop(failure: LonghandError): Promise<LonghandError> {
    await this.#deps.committer().stop(failure);
    this.fail(failure);
    return failure;
  }

  /**
   * The committer has stopped already. Returns at once: who calls it is himself something that must end before the
   * instance may declare itself dead.
   */
  fail(failure: LonghandError): void {
    const { health } = this.#deps;
    if (health.failure !== undefined) return;
    health.failure = failure;
    this.#givingUp = this.#giveUp(failure);
  }

  /** After a failure: resolves when the instance has declared itself dead. */
  async givenUp(): Promise<void> {
    await this.#givingUp;
  }

  /** Never rejects. Whoever takes over changes the same files: a change of ours that came later would undo his. */
  async #giveUp(failure: LonghandError): Promise<void> {
    const { directory, instance, applier } = this.#deps;
    try {
      await applier.stop(failure);
      await this.#deps.idle();
      await instance.giveUp();
    } catch (error) {
      this.#deps.onError(ioError(error, "giving up the store", directory));
    }
  }
}
