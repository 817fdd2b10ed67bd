/**
 * The journal of one store instance: the only way a record becomes durable. One block at a time: written, synced, and
 * only then answered. A write that did not fit is overwritten by the next block; anything worse has an unknown outcome
 * and is final, since after a failed sync a later success proves nothing.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem, OpenFile } from "../host/host.ts";
import { errorCode, ioError } from "../host/io-error.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeBlock, type JournalRecord } from "./block.ts";
import { encodeHead, HEAD_BYTES, headPosition } from "./head.ts";
import { readJournal } from "./read-journal.ts";

export class Journal {
  readonly path: string;
  readonly #file: OpenFile;
  readonly #instance: string;
  readonly #durability: "sync" | "os";
  #generation = 1;
  #nextBlock = 1;
  #end = HEAD_BYTES;

  private constructor(path: string, file: OpenFile, instance: string, durability: "sync" | "os") {
    this.path = path;
    this.#file = file;
    this.#instance = instance;
    this.#durability = durability;
  }

  /** The caller syncs the directory before the first block. */
  static async create(
    files: FileSystem,
    path: string,
    instance: string,
    durability: "sync" | "os",
  ): Promise<Journal> {
    const file = await files.open(path, "create");
    try {
      // Both copies from the start: the file never has a head that is only half there by length.
      await writeFully(file, Buffer.alloc(HEAD_BYTES, " "), 0);
      await writeFully(file, encodeHead({ instance, generation: 1 }), headPosition(1));
      await file.sync();
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    return new Journal(path, file, instance, durability);
  }

  /** Of the blocks in the present generation. */
  get bytes(): number {
    return this.#end - HEAD_BYTES;
  }

  /** Rejects with DISK_FULL when the block did not fit (nothing happened), with STORE_FAILED when nobody can tell. */
  async append(records: readonly JournalRecord[]): Promise<void> {
    const block = encodeBlock(this.#head, this.#nextBlock, records);
    try {
      await writeFully(this.#file, block, this.#end);
    } catch (cause) {
      const full = errorCode(cause) === "ENOSPC" || errorCode(cause) === "EDQUOT";
      throw full ? ioError(cause, "writing the journal", this.path) : this.#unknownOutcome(cause, "writing");
    }
    if (this.#durability === "sync") await this.#sync("syncing");
    this.#end += block.length;
    this.#nextBlock++;
  }

  /** Everything the generation covers must be landed and synced before this: its space is used again. */
  async beginGeneration(): Promise<void> {
    const head = { instance: this.#instance, generation: this.#generation + 1 };
    try {
      await writeFully(this.#file, encodeHead(head), headPosition(head.generation));
    } catch (cause) {
      throw this.#unknownOutcome(cause, "writing the head of");
    }
    await this.#sync("syncing the head of");
    this.#generation = head.generation;
    this.#nextBlock = 1;
    this.#end = HEAD_BYTES;
  }

  /** The records of the present generation again, as they are in the file. */
  async readBack(): Promise<readonly JournalRecord[]> {
    const bytes = Buffer.allocUnsafe(this.#end);
    const length = await this.#file.read(bytes, 0);
    return readJournal(bytes.subarray(0, length))?.records ?? [];
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #head(): { instance: string; generation: number } {
    return { instance: this.#instance, generation: this.#generation };
  }

  async #sync(doing: string): Promise<void> {
    try {
      await this.#file.sync();
    } catch (cause) {
      throw this.#unknownOutcome(cause, doing);
    }
  }

  #unknownOutcome(cause: unknown, doing: string): LonghandError {
    return new LonghandError(
      "STORE_FAILED",
      `${doing} the journal ${this.path} failed (${errorCode(cause) ?? String(cause)}): whether this write is on the disk is unknown. ` +
        "Reopen the store and retry with an id",
      { file: this.path, errno: errorCode(cause) },
      cause,
    );
  }
}
