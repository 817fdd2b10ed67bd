/**
 * The only way to a record that counts: group commit, fence, acknowledgement, apply. Everything that waits at the same
 * moment goes into one block of the journal, one block is in flight at a time, and no caller is answered before the block
 * is durable and the instance has made sure that it was not taken over meanwhile. The session files follow after the
 * answer (record-applier.ts).
 *
 * An instance that may not go on stops here: nothing more is committed or applied, and when all work under way has ended
 * it declares itself dead, so that the next opener recovers what it has acknowledged.
 */

import { LonghandError } from "../../errors.ts";
import type { BackendOptions } from "../../contract/backend.ts";
import type { Layout } from "../../format/layout.ts";
import { afterReadyTasks } from "../../host/after-ready-tasks.ts";
import { andThen, orElse } from "../../host/and-then.ts";
import type { Awaitable, FileSystem } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import type { PlacedBatch, SessionLog } from "../../session/session-log.ts";
import type { Instance } from "../instance/begin-instance.ts";
import { ChangedSessions } from "./changed-sessions.ts";
import { RecordApplier } from "./record-applier.ts";
import type { StoreHealth } from "./store-health.ts";

/** A block holds what waits, up to about this much, so that a burst does not become one endless write. */
const BLOCK_BYTES = 8 * 1024 * 1024;

/**
 * Records are applied at once after the first block, and after each that the disk took its time for. A caller that is
 * answered at once and writes again at once makes many small blocks: their records are applied together, in the next pause,
 * or after this much.
 */
const UNAPPLIED_BLOCKS = 16;
const UNAPPLIED_BYTES = 64 * 1024;

export interface CommitPipelineDeps extends Pick<BackendOptions, "onDamage" | "onError"> {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly instance: Instance;
  readonly health: StoreHealth;
  /** When the journal holds this much, the files are synced and it begins anew. */
  readonly journalBytes: number;
}

interface Waiting {
  /** `undefined`: it has no batches, and waits for its turn between two blocks. */
  readonly log: SessionLog | undefined;
  readonly batches: readonly PlacedBatch[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class CommitPipeline {
  readonly changed: ChangedSessions;
  readonly applier: RecordApplier;
  readonly #directory: string;
  readonly #instance: Instance;
  readonly #health: StoreHealth;
  readonly #onError: BackendOptions["onError"];
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #blocksUnapplied = UNAPPLIED_BLOCKS;
  /** No further block is begun. */
  #failure: LonghandError | undefined;
  #givingUp: Promise<void> | undefined;

  constructor({ files, layout, instance, health, journalBytes, onDamage, onError }: CommitPipelineDeps) {
    this.#directory = layout.directory;
    this.#instance = instance;
    this.#health = health;
    this.#onError = onError;
    this.changed = new ChangedSessions({ files, layout, instance, onDamage });
    const { journal } = instance;
    this.applier = new RecordApplier({ files, journal, journalBytes, changed: this.changed, onError });
  }

  /** Rejects when nothing more may be written. A write that is refused because the journal is full has tried to empty it. */
  checkWritable(): Awaitable<void> {
    this.#health.check();
    return this.applier.isOverLimit() || this.applier.whyOverfull() !== undefined
      ? this.#makeRoom()
      : undefined;
  }

  async #makeRoom(): Promise<void> {
    await this.applier.checkRoom();
    if (this.applier.whyOverfull() === undefined) return;
    await this.recycle();
    const failure = this.applier.whyOverfull();
    if (failure !== undefined) throw failure;
  }

  /**
   * Resolves when the batches are durable and acknowledged by their log. DISK_FULL: they are not, and nothing else happened.
   * The log takes them over before anything else can happen, above all before the journal's space could be used again.
   */
  commit(log: SessionLog, batches: readonly PlacedBatch[]): Promise<void> {
    return this.#enqueue(log, batches);
  }

  /** Between two blocks: syncs the files that a long journal covers, so that its space is used again. */
  recycle(): Promise<void> {
    return this.#enqueue(undefined, []);
  }

  /** Resolves when no block is in flight. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Before anything is made or read by its path: rejects unless it is the directory that was opened. */
  async checkPlace(): Promise<void> {
    const directory = this.#directory;
    const lost = await this.#instance.whyLost();
    if (lost === undefined) return;
    const message = `${directory}: ${lost}; nothing was written. Reopen the store`;
    throw await this.#stop(new LonghandError("STORE_FAILED", message, { directory }));
  }

  /**
   * Right before a change that could hide or cut off what another instance has written since: rejects if this one has failed
   * or was taken over. That a living instance is never taken over must hold without it; this is the second line.
   */
  async checkMayChange(): Promise<void> {
    await this.checkPlace();
    this.#health.check();
  }

  /** Which names are on the disk is unknown. Answers with what to tell. */
  async namesUnknown(cause: unknown): Promise<LonghandError> {
    return await this.#stop(this.#health.unknownOutcome("syncing the directory failed", cause));
  }

  /** Returns at once: the caller is work that must end before the instance may declare itself dead. */
  fail(failure: LonghandError): void {
    if (this.#health.failure !== undefined) return;
    this.#health.failure = failure;
    this.#givingUp = this.#giveUp(failure);
  }

  /** After a failure: resolves when the instance has declared itself dead. */
  async givenUp(): Promise<void> {
    await this.#givingUp;
  }

  #enqueue(log: SessionLog | undefined, batches: readonly PlacedBatch[]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ log, batches, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      await afterReadyTasks();
      if (this.#waiting.length === 0) break;
      const block = this.#takeBlock();
      try {
        if (this.#failure !== undefined) throw this.#failure;
        if (this.applier.isJournalLarge) await this.applier.recycle();
        const committing = this.#commitBlock(block.flatMap(({ batches }) => batches));
        if (committing instanceof Promise) await committing;
        for (const { log, batches } of block) if (log !== undefined) this.#acknowledge(log, batches);
        if (committing instanceof Promise || this.#isApplyDue()) this.applier.begin();
        for (const { resolve } of block) resolve();
      } catch (cause) {
        const error = typedFailure(cause);
        this.#noteFailure(error);
        for (const { reject } of block) reject(error);
      }
    }
    this.applier.begin();
    this.#blocksUnapplied = UNAPPLIED_BLOCKS;
    this.#running = undefined;
  }

  #acknowledge(log: SessionLog, batches: readonly PlacedBatch[]): void {
    log.acknowledge(batches);
    this.applier.add(log);
  }

  #isApplyDue(): boolean {
    this.#blocksUnapplied++;
    if (this.#blocksUnapplied <= UNAPPLIED_BLOCKS && this.applier.dueBytes <= UNAPPLIED_BYTES) return false;
    this.#blocksUnapplied = 0;
    return true;
  }

  #takeBlock(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { batches } of this.#waiting) {
      for (const batch of batches) bytes += batch.bytes.length;
      if (count > 0 && bytes > BLOCK_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  #commitBlock(batches: readonly PlacedBatch[]): Awaitable<void> {
    if (batches.length === 0) return undefined;
    const appending = this.#instance.journal.append(batches);
    // While the disk is busy, this thread has time for the files.
    if (appending instanceof Promise) this.applier.begin();
    return andThen(appending, () => this.#checkFence());
  }

  /** After the durable write and before any answer: rejects if another process has taken over. */
  #checkFence(): Awaitable<void> {
    const isOpen = orElse(
      () => this.#instance.isFenceOpen(),
      (cause) => {
        throw this.#health.unknownOutcome("whether the store was taken over cannot be told", cause);
      },
    );
    return andThen(isOpen, (open) => (open ? undefined : this.#refuseTakenOver()));
  }

  async #refuseTakenOver(): Promise<never> {
    const lost = await this.#instance.whyLost().catch(() => undefined);
    throw this.#health.unknownOutcome(lost ?? "its gate was removed, as by a process that takes it over");
  }

  /** Begins no further block and waits for the one in flight. Answers with the same failure. */
  async #stop(failure: LonghandError): Promise<LonghandError> {
    this.#failure ??= failure;
    await this.idle();
    this.fail(failure);
    return failure;
  }

  /** A full disk is the one failure after which the journal is as it was before. */
  #noteFailure(error: LonghandError): void {
    if (error.code === "DISK_FULL" || this.#failure !== undefined) return;
    this.#failure = error;
    this.fail(error);
  }

  /** Never rejects. The next owner changes the same files: a later change of ours would undo its changes. */
  async #giveUp(failure: LonghandError): Promise<void> {
    try {
      await this.applier.stop(failure);
      await this.#health.idle();
      await this.#instance.giveUp();
    } catch (error) {
      this.#onError(ioError(error, "giving up the store", this.#directory));
    }
  }
}

function typedFailure(cause: unknown): LonghandError {
  if (cause instanceof LonghandError) return cause;
  return new LonghandError("STORE_FAILED", "the store failed while committing; reopen it", {}, cause);
}
