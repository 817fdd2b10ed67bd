/**
 * The journal of one store instance: the only way a record becomes durable. One block at a time: written, synced, and
 * only then answered. A block that did not fit is made void before that is told; anything worse has an unknown outcome
 * and is final, since after a failed sync a later success proves nothing.
 */

import { LonghandError } from "../errors.ts";
import { andThen, orElse } from "../host/and-then.ts";
import type { Awaitable, FileSystem, OpenFile } from "../host/host.ts";
import { errorCode, ioError } from "../host/io-error.ts";
import { removeIfThere } from "../host/small-files.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeBlock, FIRST_LINE_LIMIT, type JournalRecord } from "./block.ts";
import { encodeHead, HEAD_BYTES, headPosition, type JournalHead } from "./head.ts";
import type { InstanceDescription } from "./instance-description.ts";
import { readBlocks } from "./read-journal.ts";

export interface JournalPlace {
  readonly path: string;
  readonly temporary: string;
  /** Of both. */
  readonly directory: string;
  readonly owner: InstanceDescription;
  readonly durability: "sync" | "os";
}

/** Another instance may remove the temporary name as a leftover; more often in a row is not believable. */
const ATTEMPTS = 5;

/**
 * The file is extended by zeros ahead of its blocks, since a write that does not change a file's size is synced faster: by as
 * much as its blocks take by then, so that a short life does not write much, and at most by this.
 */
const MAX_EXTENSION_BYTES = 1024 * 1024;

/** Blocks up to this length are made in the same memory, one after another: only one is on its way to the disk at a time. */
const SCRATCH_BYTES = 64 * 1024;

export class Journal {
  readonly path: string;
  readonly #file: OpenFile;
  readonly #owner: InstanceDescription;
  readonly #durability: "sync" | "os";
  #generation = 1;
  #nextBlock = 1;
  #end = HEAD_BYTES;
  /** Behind the zeros that were written ahead. */
  #allocatedEnd = HEAD_BYTES;
  /** Found unreadable while in use: whatever came behind that could not be replayed. */
  #damage: LonghandError | undefined;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  private constructor(path: string, file: OpenFile, owner: InstanceDescription, durability: "sync" | "os") {
    this.path = path;
    this.#file = file;
    this.#owner = owner;
    this.#durability = durability;
  }

  /**
   * Written and synced under a temporary name first: a journal that has its name has a whole head, and says whose it is.
   * The directory is synced before the journal gets its name: whatever power loss leaves the journal also leaves the socket
   * that the caller has made, which refuses then and so proves that the instance is dead. The caller syncs the directory
   * again before the first block.
   */
  static async create(files: FileSystem, place: JournalPlace): Promise<Journal> {
    const { path, temporary, directory, owner, durability } = place;
    for (let attempt = 1; ; attempt++) {
      try {
        await useFile(await files.open(temporary, "create"), async (file) => {
          // Both copies from the start: the file never has a head that is only half there by length.
          await writeFully(file, Buffer.alloc(HEAD_BYTES, " "), 0);
          await writeFully(file, encodeHead(firstHead(owner)), headPosition(1));
          await file.sync();
        });
        await files.syncDirectory(directory);
        await files.link(temporary, path);
        break;
      } catch (error) {
        if (errorCode(error) !== "ENOENT" || attempt === ATTEMPTS) throw error;
      } finally {
        await removeIfThere(files, temporary);
      }
    }
    const mode = durability === "sync" ? "journal" : "write";
    return new Journal(path, await files.open(path, mode), owner, durability);
  }

  /** Of the blocks in the present generation. */
  get bytes(): number {
    return this.#end - HEAD_BYTES;
  }

  /** Rejects with DISK_FULL when the block did not fit (nothing happened), with STORE_FAILED when nobody can tell. */
  append(records: readonly JournalRecord[]): Awaitable<void> {
    if (this.#damage !== undefined) return Promise.reject(this.#damage);
    const block = encodeBlock(this.#head, this.#nextBlock, records, this.#scratch);
    const end = this.#end + block.length;
    const isToExtend = this.#durability === "sync" && end > this.#allocatedEnd;
    const written = andThen(isToExtend ? this.#extend(end) : undefined, () => this.#write(block));
    const synced = this.#durability === "sync" ? andThen(written, () => this.#sync("syncing")) : written;
    return andThen(synced, () => {
      this.#end = end;
      this.#nextBlock++;
    });
  }

  #write(block: Buffer): Awaitable<void> {
    let written = 0;
    const note = (count: number): void => {
      written = count;
    };
    return orElse(
      () => writeFully(this.#file, block, this.#end, note),
      async (cause) => {
        if (!isFull(cause)) throw this.#unknownOutcome(cause, "writing");
        await this.#voidRefused(written);
        throw ioError(cause, "writing the journal", this.path);
      },
    );
  }

  /** Zeros up to the next step behind `end`. They are no block, and a disk that has no room for them may have some for the block. */
  async #extend(end: number): Promise<void> {
    // Never over a block: it may have got in though there was no room for zeros before.
    const start = Math.max(this.#allocatedEnd, this.#end);
    const ahead = Math.min(end - HEAD_BYTES, MAX_EXTENSION_BYTES);
    try {
      await writeFully(this.#file, Buffer.alloc(end + ahead - start), start);
      this.#allocatedEnd = end + ahead;
    } catch (cause) {
      if (!isFull(cause)) throw this.#unknownOutcome(cause, "extending");
    }
  }

  /** Everything the generation covers must be applied and synced before this: its space is used again. */
  async beginGeneration(): Promise<void> {
    const head = { ...this.#head, generation: this.#generation + 1 };
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

  /**
   * The records of the present generation again, as they are in the file: all of them. Rejects with STORE_FAILED if one
   * cannot be read, and so does every append from then on.
   */
  async readBack(): Promise<readonly JournalRecord[]> {
    const head = this.#head;
    const expected = this.#end;
    const bytes = Buffer.allocUnsafe(expected);
    const length = await this.#file.read(bytes, 0);
    // By the head that we know, not by the one in the file: that may be what was damaged.
    const { records, end } = readBlocks(bytes.subarray(0, length), head);
    if (end === expected) return records;
    this.#damage ??= new LonghandError(
      "STORE_FAILED",
      `the journal ${this.path} was damaged while in use: what was written at byte ${end} cannot be read any more. ` +
        "Reopen the store and verify it",
      { file: this.path, offset: end },
    );
    throw this.#damage;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #head(): JournalHead {
    return { ...firstHead(this.#owner), generation: this.#generation };
  }

  /**
   * What got in of a refused block must never count, above all not after its session was given away: in space that is
   * used again, the bytes that are missing may lie there already. NULs over its first line are more than the one bit
   * that flipped-block.ts turns back, and they need no room.
   */
  async #voidRefused(written: number): Promise<void> {
    if (written === 0) return;
    try {
      await writeFully(this.#file, Buffer.alloc(Math.min(written, FIRST_LINE_LIMIT)), this.#end);
    } catch (cause) {
      throw this.#unknownOutcome(cause, "voiding a block in");
    }
    await this.#sync("syncing");
  }

  #sync(doing: string): Awaitable<void> {
    return orElse(
      () => this.#file.sync(),
      (cause) => {
        throw this.#unknownOutcome(cause, doing);
      },
    );
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

function isFull(cause: unknown): boolean {
  return errorCode(cause) === "ENOSPC" || errorCode(cause) === "EDQUOT";
}

function firstHead(owner: InstanceDescription): JournalHead {
  return { instance: owner.instance, generation: 1, owner };
}
