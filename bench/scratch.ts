/**
 * The directories of a run. Nothing is removed during a repetition: on a disk mounted with `discard`, removing files
 * slows down whatever is measured next.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const REST_MS = 1000;
const TMPFS_MAGIC = 0x01021994;

export class Scratch {
  readonly #root: string;
  readonly #restMs: number;
  #repetition = 0;
  #made = 0;

  /** Makes a directory of its own inside of `parent`; nothing else there is touched. */
  constructor(parent: string, restMs: number = REST_MS) {
    mkdirSync(parent, { recursive: true });
    this.#root = mkdtempSync(join(parent, "longhand-bench-"));
    this.#restMs = restMs;
  }

  /** On tmpfs a sync costs nothing, and durable appends mean nothing. */
  get isInMemory(): boolean {
    return statfsSync(this.#root).type === TMPFS_MAGIC;
  }

  /** Lives through all repetitions. */
  dataSet(owner: string, name: string): string {
    return this.#make(join("data", owner, name));
  }

  fresh(name: string): string {
    this.#made += 1;
    return this.#make(join(this.#current, `${this.#made}-${name}`));
  }

  ownCopy(name: string, of: string): string {
    const copy = this.fresh(name);
    cpSync(of, copy, { recursive: true, preserveTimestamps: true });
    return copy;
  }

  /** The same copy for every call of a repetition. */
  sharedCopy(name: string, of: string): string {
    const path = join(this.#root, this.#current, `shared-${name}`);
    if (!existsSync(path)) cpSync(of, path, { recursive: true, preserveTimestamps: true });
    return path;
  }

  async endRepetition(): Promise<void> {
    rmSync(join(this.#root, this.#current), { recursive: true, force: true });
    this.#repetition += 1;
    execFileSync("sync");
    await sleep(this.#restMs);
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #current(): string {
    return `repetition-${this.#repetition}`;
  }

  #make(relative: string): string {
    const path = join(this.#root, relative);
    mkdirSync(path, { recursive: true });
    return path;
  }
}
