/**
 * Keeps the names in the store's directory durable. Those who ask while a sync is under way share the next one: it
 * begins after their names have changed, which is all that counts.
 */

import type { FileSystem } from "../../host/host.ts";
import { promised } from "../../host/promised.ts";

export class NameSync {
  readonly #files: FileSystem;
  readonly #directory: string;
  #changes = 0;
  #synced = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(files: FileSystem, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /**
   * Changes a name. Counted before and after: whether it succeeds or fails it may have happened, and a sync that begins
   * while it is under way may come too early for it.
   */
  async change<T>(change: () => Promise<T>): Promise<T> {
    this.#changes++;
    try {
      return await change();
    } finally {
      this.#changes++;
    }
  }

  /** Every name changed before the call is durable when it resolves. */
  async sync(): Promise<void> {
    if (this.#synced === this.#changes) return;
    if (this.#running === undefined) {
      await this.#begin();
      return;
    }
    this.#next ??= this.#running.then(
      async () => await this.#begin(),
      async () => await this.#begin(),
    );
    await this.#next;
  }

  async #begin(): Promise<void> {
    this.#next = undefined;
    const changes = this.#changes;
    this.#running = promised(() => this.#files.syncDirectory(this.#directory)).finally(() => {
      this.#running = undefined;
    });
    await this.#running;
    this.#synced = Math.max(this.#synced, changes);
  }
}
