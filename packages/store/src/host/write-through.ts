/**
 * Writes to a descriptor that syncs each of them (O_DSYNC). On a disk that syncs quickly the main thread waits for it: a hop to
 * the thread pool and back costs about as much as such a sync. On a slow disk, or with a long write, the thread pool does it.
 */

import * as fs from "node:fs";
import { performance } from "node:perf_hooks";

/** On average a write on the main thread may block it for this long. */
const MAX_BLOCKING_MS = 1;
/** Longer writes always go to the thread pool. */
const MAX_BLOCKING_BYTES = 256 * 1024;
/** The share of the newest write in the running mean of their times. */
const NEWEST_SHARE = 0.2;

export class WriteThrough {
  readonly #descriptor: number;
  #meanMs = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Answers with the number of bytes that are on the disk now. */
  write(bytes: Buffer, position: number): number | Promise<number> {
    const start = performance.now();
    if (this.#meanMs >= MAX_BLOCKING_MS || bytes.length > MAX_BLOCKING_BYTES)
      return this.#writeInPool(bytes, position, start);
    const count = fs.writeSync(this.#descriptor, bytes, 0, bytes.length, position);
    this.#note(performance.now() - start);
    return count;
  }

  async #writeInPool(bytes: Buffer, position: number, start: number): Promise<number> {
    const count = await new Promise<number>((resolve, reject) => {
      fs.write(this.#descriptor, bytes, 0, bytes.length, position, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    });
    if (bytes.length <= MAX_BLOCKING_BYTES) this.#note(performance.now() - start);
    return count;
  }

  #note(milliseconds: number): void {
    this.#meanMs += (milliseconds - this.#meanMs) * NEWEST_SHARE;
  }
}
