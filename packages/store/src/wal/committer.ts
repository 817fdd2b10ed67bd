/**
 * Group commit: whatever waits at the same moment goes into one block, one block is in flight at a time, and nobody is
 * answered before it is durable and the instance has made sure that it was not taken over meanwhile.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import { afterReadyTasks } from "../host/after-ready-tasks.ts";
import type { JournalRecord } from "./block.ts";
import type { Journal } from "./journal.ts";

/** A block holds what waits, up to about this much, so that a burst does not become one endless write. */
const BLOCK_BYTES = 8 * 1024 * 1024;

export interface CommitterHooks {
  /** Rejects if this instance was taken over. Runs after the durable write, before any answer. */
  checkFence(): Promise<void>;
  /** Between two blocks: may begin a new generation of the journal. */
  betweenBlocks(): Promise<void>;
  /** The outcome of a commit is unknown, or the instance was taken over: nothing more may be committed. Before the rejection. */
  onFailed(error: LonghandError): void;
}

interface Waiting {
  readonly records: readonly JournalRecord[];
  readonly onDurable: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Committer {
  readonly #journal: Journal;
  readonly #hooks: CommitterHooks;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: LonghandError | undefined;

  constructor(journal: Journal, hooks: CommitterHooks) {
    this.#journal = journal;
    this.#hooks = hooks;
  }

  /**
   * Resolves when the records are durable. DISK_FULL: they are not, and nothing else happened. `onDurable` runs before
   * anything else can happen, above all before the journal's space could be used again: it must take the records over.
   */
  async commit(records: readonly JournalRecord[], onDurable: () => void): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ records, onDurable, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Runs the task when no block is in flight; none begins before it ends. Its STORE_FAILED is a failure of this. */
  async between(task: () => Promise<void>): Promise<void> {
    // Looked at in the same turn as it is set below: two who waited for the same block must not both go on.
    while (this.#running !== undefined) await this.#running;
    if (this.#failure !== undefined) throw this.#failure;
    const running = task()
      .catch((error: unknown) => {
        if (isLonghandError(error, "STORE_FAILED")) this.#noteFailure(error);
        throw error;
      })
      .finally(() => {
        this.#running = this.#waiting.length > 0 ? this.#run() : undefined;
      });
    this.#running = running.catch(() => undefined);
    await running;
  }

  /** Begins no further block and waits for the one in flight. */
  async stop(failure: LonghandError): Promise<void> {
    this.#failure ??= failure;
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await afterReadyTasks();
      const block = this.#takeBlock();
      try {
        if (this.#failure !== undefined) throw this.#failure;
        await this.#hooks.betweenBlocks();
        await this.#journal.append(block.flatMap(({ records }) => records));
        await this.#hooks.checkFence();
        for (const { onDurable, resolve } of block) {
          onDurable();
          resolve();
        }
      } catch (cause) {
        const error = typedFailure(cause);
        this.#noteFailure(error);
        for (const { reject } of block) reject(error);
      }
    }
    this.#running = undefined;
  }

  #takeBlock(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { records } of this.#waiting) {
      bytes += records.reduce((sum, record) => sum + record.bytes.length, 0);
      if (count > 0 && bytes > BLOCK_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** A full disk is the one failure after which the journal is as it was before. */
  #noteFailure(error: LonghandError): void {
    if (error.code === "DISK_FULL" || this.#failure !== undefined) return;
    this.#failure = error;
    this.#hooks.onFailed(error);
  }
}

function typedFailure(cause: unknown): LonghandError {
  if (cause instanceof LonghandError) return cause;
  return new LonghandError("STORE_FAILED", "the store failed while committing; reopen it", {}, cause);
}
