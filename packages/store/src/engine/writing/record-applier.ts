/**
 * Applying: what is acknowledged goes from the journal into the session files, at once but after the answer. A failure
 * loses nothing, since the journal keeps it: it is reported, tried again with the next commit, and stops new writes
 * when too much waits. The journal's space is used again only when every file it covers is applied and synced.
 */

import { isLonghandError, type LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { recordsOf } from "../../wal/group-by-session.ts";
import type { Journal } from "../../wal/journal.ts";
import { sessionChanged } from "../../session/session-changed.ts";
import type { SessionLog } from "../../session/session-log.ts";
import type { ChangedSessions } from "./changed-sessions.ts";

/** New appends fail once this much cannot be applied. */
const MAX_UNAPPLIED_BYTES = 16 * 1024 * 1024;

/** So many files are synced at the same time: more would keep other work of the thread pool waiting. */
const SYNCS_AT_ONCE = 8;

export interface RecordApplierDeps {
  readonly files: FileSystem;
  readonly journal: Journal;
  /** When the journal holds this much, the files are synced and it begins anew. */
  readonly journalBytes: number;
  readonly changed: ChangedSessions;
  onError(error: LonghandError): void;
}

export class RecordApplier {
  readonly #deps: RecordApplierDeps;
  /** Files that the journal's generation covers and that are not known to be synced. */
  readonly #covered = new Set<SessionLog>();
  /** Those with records that no `begin` has taken up yet. */
  readonly #due = new Set<SessionLog>();
  readonly #failed = new Map<SessionLog, LonghandError>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #settling = new Map<SessionLog, Promise<void>>();
  #stopped: LonghandError | undefined;

  constructor(deps: RecordApplierDeps) {
    this.#deps = deps;
  }

  /** The log has newly acknowledged records: they are applied with the next `begin`. */
  add(log: SessionLog): void {
    if (this.#stopped !== undefined) return;
    this.#covered.add(log);
    this.#due.add(log);
  }

  get dueBytes(): number {
    let bytes = 0;
    for (const log of this.#due) bytes += log.unappliedBytes;
    return bytes;
  }

  /** Begins to apply what was added, all records of a session at once, and what has failed before. Returns at once. */
  begin(): void {
    if (this.#due.size === 0 || this.#stopped !== undefined) return;
    const due = new Set([...this.#due, ...this.#failed.keys()]);
    this.#due.clear();
    for (const log of due) {
      const applying = this.#apply(log).finally(() => this.#underWay.delete(applying));
      this.#underWay.add(applying);
    }
  }

  /** For a reader of the files: what was acknowledged before is in them when this resolves, as far as it can be applied. */
  async applyNow(): Promise<void> {
    this.begin();
    await Promise.all(this.#underWay);
  }

  /** Rejects when too much waits to be applied and still cannot be: who asks is the one who tries again. */
  async checkRoom(): Promise<void> {
    if (!this.isOverLimit()) return;
    await Promise.all([...this.#failed.keys()].map(async (log) => await this.#apply(log)));
    const [failure] = this.#failed.values();
    if (failure !== undefined && this.isOverLimit()) throw failure;
  }

  /** The journal cannot be used again, since a file it covers cannot be applied or synced: this is why. */
  whyOverfull(): LonghandError | undefined {
    const { journal, journalBytes } = this.#deps;
    if (journal.bytes <= journalBytes + MAX_UNAPPLIED_BYTES) return undefined;
    const [failure] = this.#failed.values();
    return failure;
  }

  get isJournalLarge(): boolean {
    const { journal, journalBytes } = this.#deps;
    return journal.bytes >= journalBytes;
  }

  /** Between two blocks, if the journal is large. */
  async recycle(): Promise<void> {
    for (const logs of inGroups([...this.#covered], SYNCS_AT_ONCE)) {
      const settled = await Promise.all(logs.map(async (log) => await this.trySettle(log)));
      // The journal grows on; nothing is lost, and whyOverfull stops the writers in time.
      if (settled.includes(false)) return;
    }
    if (this.#covered.size === 0) await this.#deps.journal.beginGeneration();
  }

  /** Lands and syncs everything, or rejects with the first failure. What does not fit its file is kept, and told. */
  async settleAll(): Promise<void> {
    const settle = async (log: SessionLog): Promise<void> => {
      await this.settle(log).catch((error: unknown) => {
        if (!isLonghandError(error, "SESSION_CHANGED")) throw error;
        this.#deps.onError(error);
      });
    };
    while (this.#covered.size > 0) {
      for (const logs of inGroups([...this.#covered], SYNCS_AT_ONCE)) {
        const outcomes = await Promise.allSettled(logs.map(settle));
        const failed = outcomes.find((outcome) => outcome.status === "rejected");
        if (failed !== undefined) throw failed.reason;
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
      if (isKept) this.#deps.onError(error);
      else this.#report(log, error);
      return isKept;
    }
  }

  /** The log's file is not what it was: what it lacks is kept aside, and the journal need not keep it. */
  async change(log: SessionLog): Promise<LonghandError> {
    const changed = await this.#deps.changed.keep(log);
    this.#covered.delete(log);
    this.#failed.delete(log);
    return changed;
  }

  /** The instance has failed: nothing is applied or synced from now on, and what is under way has ended. */
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
      await log.apply();
      if (log.isUnsynced || log.owesRewrite) await this.#syncOrRewrite(log);
      if (this.#covered.has(log)) await this.#checkUnchanged(log);
    } catch (error) {
      throw isLonghandError(error, "SESSION_CHANGED") ? await this.change(log) : error;
    }
    if (log.isUnsynced || log.unappliedBytes > 0) return;
    this.#covered.delete(log);
    this.#failed.delete(log);
  }

  /** After the sync: only what is in the file by its name then may leave the journal. */
  async #checkUnchanged(log: SessionLog): Promise<void> {
    const { path, header } = log;
    if (!(await log.isIn(this.#deps.files))) throw sessionChanged(path, header.key);
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
      const own = recordsOf(await this.#deps.journal.readBack(), log.header);
      await log.rewrite(own.filter(({ file }) => file === log.header.file));
      await log.sync();
    } catch (cause) {
      throw ioError(cause, "syncing the session", log.path);
    }
  }

  async #apply(log: SessionLog): Promise<void> {
    try {
      await log.apply();
      this.#failed.delete(log);
    } catch (error) {
      await this.#noteFailure(log, error);
    }
  }

  async #noteFailure(log: SessionLog, error: unknown): Promise<void> {
    try {
      if (isLonghandError(error, "SESSION_CHANGED")) this.#deps.onError(await this.change(log));
      else this.#report(log, error);
    } catch (cause) {
      this.#report(log, cause);
    }
  }

  isOverLimit(): boolean {
    let waiting = 0;
    for (const log of this.#failed.keys()) waiting += log.unappliedBytes;
    return waiting > MAX_UNAPPLIED_BYTES;
  }

  #report(log: SessionLog, error: unknown): void {
    const failure = ioError(error, "writing records into the session", log.path);
    const isNews = !this.#failed.has(log);
    this.#failed.set(log, failure);
    if (isNews) this.#deps.onError(failure);
  }
}

function inGroups<T>(all: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < all.length; start += size) groups.push(all.slice(start, start + size));
  return groups;
}
