/**
 * Landing: what is acknowledged goes from the journal into the session files, at once but after the answer. A failure
 * loses nothing, since the journal keeps it: it is reported, tried again with the next commit, and stops new writes
 * when too much waits. The journal's space is used again only when every file it covers is landed and synced.
 */

import { isLonghandError, type LonghandError } from "../../../errors.ts";
import type { FileStat } from "../../../host/host.ts";
import { ioError } from "../../../host/io-error.ts";
import { groupBySession } from "../../../journal/group-by-session.ts";
import type { Journal } from "../../../journal/journal.ts";
import { sessionChanged } from "../../../log/session-changed.ts";
import type { SessionLog } from "../../../log/session-log.ts";

/** New appends fail once this much cannot be landed. */
const MAX_UNLANDED_BYTES = 16 * 1024 * 1024;

export interface LandingHooks {
  /** Of what is at a path now. */
  look(path: string): Promise<FileStat | undefined>;
  /** The log's file was changed by another program: what it lacks is kept when this resolves. Answers with what to tell. */
  keepChanged(log: SessionLog): Promise<LonghandError>;
  onError(error: LonghandError): void;
}

export class Landing {
  readonly #journal: Journal;
  /** When the journal holds this much, the files are synced and it begins anew. */
  readonly #journalBytes: number;
  readonly #hooks: LandingHooks;
  /** Files that the journal's generation covers and that are not known to be synced. */
  readonly #covered = new Set<SessionLog>();
  readonly #failed = new Map<SessionLog, LonghandError>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #settling = new Map<SessionLog, Promise<void>>();
  #stopped: LonghandError | undefined;

  constructor(journal: Journal, journalBytes: number, hooks: LandingHooks) {
    this.#journal = journal;
    this.#journalBytes = journalBytes;
    this.#hooks = hooks;
  }

  /** The log has newly acknowledged records. Returns at once. */
  begin(log: SessionLog): void {
    if (this.#stopped !== undefined) return;
    this.#covered.add(log);
    for (const each of new Set([log, ...this.#failed.keys()])) {
      const landing = this.#land(each).finally(() => this.#underWay.delete(landing));
      this.#underWay.add(landing);
    }
  }

  /** Rejects when too much waits to be landed and still cannot be: who asks is the one who tries again. */
  async checkRoom(): Promise<void> {
    if (!this.#isOverLimit()) return;
    await Promise.all([...this.#failed.keys()].map(async (log) => await this.#land(log)));
    const [failure] = this.#failed.values();
    if (failure !== undefined && this.#isOverLimit()) throw failure;
  }

  /** The journal cannot be used again, since a file it covers cannot be landed or synced: this is why. */
  whyOverfull(): LonghandError | undefined {
    if (this.#journal.bytes <= this.#journalBytes + MAX_UNLANDED_BYTES) return undefined;
    const [failure] = this.#failed.values();
    return failure;
  }

  /** Between two blocks. */
  async recycleIfLarge(): Promise<void> {
    if (this.#journal.bytes < this.#journalBytes) return;
    for (const log of this.#covered) {
      // The journal grows on; nothing is lost, and whyOverfull stops the writers in time.
      if (!(await this.trySettle(log))) return;
    }
    if (this.#covered.size === 0) await this.#journal.beginGeneration();
  }

  /** Lands and syncs everything, or rejects with the first failure. What does not fit its file is kept, and told. */
  async settleAll(): Promise<void> {
    while (this.#covered.size > 0) {
      for (const log of this.#covered) {
        await this.settle(log).catch((error: unknown) => {
          if (!isLonghandError(error, "SESSION_CHANGED")) throw error;
          this.#hooks.onError(error);
        });
      }
    }
  }

  /** Lands and syncs one file, or keeps what does not fit it. False: it could not be done now. Failures are reported. */
  async trySettle(log: SessionLog): Promise<boolean> {
    try {
      await this.settle(log);
      return true;
    } catch (error) {
      const isKept = isLonghandError(error, "SESSION_CHANGED");
      if (isKept) this.#hooks.onError(error);
      else this.#report(log, error);
      return isKept;
    }
  }

  /** The log's file is not what it was: what it lacks is kept aside, and the journal need not keep it. */
  async change(log: SessionLog): Promise<LonghandError> {
    const changed = await this.#hooks.keepChanged(log);
    this.#covered.delete(log);
    this.#failed.delete(log);
    return changed;
  }

  /** The instance has failed: nothing is landed or synced from now on, and what is under way has ended. */
  async stop(failure: LonghandError): Promise<void> {
    this.#stopped = failure;
    await Promise.allSettled([...this.#underWay, ...this.#settling.values()]);
  }

  /**
   * Lands and syncs one file, or rejects; one at a time for a file. A failed sync is never repeated alone: its bytes are
   * written again first. The file stays covered if more has come meanwhile.
   */
  async settle(log: SessionLog): Promise<void> {
    for (let other = this.#settling.get(log); other !== undefined; other = this.#settling.get(log)) {
      await other.catch(() => undefined);
    }
    if (this.#stopped !== undefined) throw this.#stopped;
    const settling = this.#settleAlone(log).finally(() => this.#settling.delete(log));
    this.#settling.set(log, settling);
    await settling;
  }

  async #settleAlone(log: SessionLog): Promise<void> {
    try {
      await log.land();
      if (log.isUnsynced || log.owesRewrite) await this.#syncOrRewrite(log);
      if (this.#covered.has(log)) await this.#checkUnchanged(log);
    } catch (error) {
      throw isLonghandError(error, "SESSION_CHANGED") ? await this.change(log) : error;
    }
    if (log.isUnsynced || log.unlandedBytes > 0) return;
    this.#covered.delete(log);
    this.#failed.delete(log);
  }

  /** After the sync: only what is in the file by its name then may leave the journal. */
  async #checkUnchanged(log: SessionLog): Promise<void> {
    const { path, header } = log;
    if (!(await log.isIn(async () => await this.#hooks.look(path)))) throw sessionChanged(path, header.key);
    await log.checkApplied();
  }

  async #syncOrRewrite(log: SessionLog): Promise<void> {
    if (!log.owesRewrite) {
      try {
        await log.sync();
        return;
      } catch {
        // The log remembers: from here on only a rewrite makes it good.
      }
    }
    try {
      const own = groupBySession(await this.#journal.readBack()).get(log.header.id) ?? [];
      await log.rewrite(own.filter(({ file }) => file === log.header.file));
      await log.sync();
    } catch (cause) {
      throw ioError(cause, "syncing the session", log.path);
    }
  }

  async #land(log: SessionLog): Promise<void> {
    try {
      await log.land();
      this.#failed.delete(log);
    } catch (error) {
      await this.#noteFailure(log, error);
    }
  }

  async #noteFailure(log: SessionLog, error: unknown): Promise<void> {
    try {
      if (isLonghandError(error, "SESSION_CHANGED")) this.#hooks.onError(await this.change(log));
      else this.#report(log, error);
    } catch (cause) {
      this.#report(log, cause);
    }
  }

  #isOverLimit(): boolean {
    let waiting = 0;
    for (const log of this.#failed.keys()) waiting += log.unlandedBytes;
    return waiting > MAX_UNLANDED_BYTES;
  }

  #report(log: SessionLog, error: unknown): void {
    const failure = ioError(error, "landing records", log.path);
    const isNews = !this.#failed.has(log);
    this.#failed.set(log, failure);
    if (isNews) this.#hooks.onError(failure);
  }
}
