/**
 * Takes over dead instances: every record of the journal is put at its place again, over what is there, and synced; then
 * the journal is emptied durably and removed, and with it the instance's leases are free. Nothing is skipped because it
 * seems to be there already, and nothing is cut: what lies behind is judged by whoever opens the session for writing.
 *
 * One at a time takes over an instance, under a lease of its own. Killed at any point, the next one begins again at the
 * first step.
 */

import type { FileSystem, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { placeMark, removeDirectoryIfThere, removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { encodeHead, headPosition } from "../../wal/head.ts";
import type { JournalContents } from "../../wal/read-journal.ts";
import { keepAside } from "../../session/keep-aside.ts";
import type { Damage } from "../../format/session-record.ts";
import { problemOf, syncAndReadJournal } from "./dead-journals.ts";
import type { LeaseFiles } from "../../lease/lease-files.ts";
import {
  recoveryLockOf,
  fencePath,
  gatePath,
  journalPath,
  socketPath,
  type Layout,
} from "../../format/layout.ts";
import { listInstances, type OtherInstances, type Standing } from "../../lease/other-instances.ts";
import type { Deadline } from "../../lease/deadline.ts";
import { replayRecords, type ReplayDeps } from "./replay-records.ts";
import { recoveryLocked } from "../../lease/session-locked.ts";
import type { Id } from "../../format/session-id.ts";

export interface RecoveryDeps {
  readonly host: Host;
  readonly layout: Layout;
  readonly instance: Id;
  readonly leaseFiles: LeaseFiles;
  readonly otherInstances: OtherInstances;
  readonly onDamage: (damage: Damage) => void;
}

export class Recovery {
  readonly #deps: RecoveryDeps;
  #damage: readonly Damage[] = [];
  /** Two tasks of this instance that meet the same dead one share the work: the lock keeps only others out. */
  readonly #underWay = new Map<string, Promise<Standing | undefined>>();

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /** What was wrong with the journals that this instance has taken over: told, set aside, and in the next report. */
  get damage(): readonly Damage[] {
    return this.#damage;
  }

  /** It is in a report of what was repaired. */
  forgetDamage(): void {
    this.#damage = [];
  }

  /** Every dead instance. Where somebody else is at it, waits for him. */
  async recoverAll(deadline: Deadline): Promise<void> {
    const { host, layout, instance, otherInstances } = this.#deps;
    for (const other of await listInstances(host.files, layout)) {
      if (other === instance) continue;
      if ((await otherInstances.look(other)).liveness === "dead") await this.recover(other, deadline);
    }
  }

  /** Of an instance that is dead. Resolves when its journal is gone, whoever has done it. */
  async recover(dead: Id, deadline: Deadline): Promise<void> {
    const { host, layout } = this.#deps;
    for (;;) {
      const recoverer = await this.tryRecover(dead);
      if (recoverer === undefined) return;
      const { owner, liveness } = recoverer;
      if (deadline.isOut) {
        const known = liveness === "ended" ? "dead" : liveness;
        throw recoveryLocked(host, layout.directory, deadline.milliseconds, owner, known);
      }
      await deadline.pause();
    }
  }

  /** `undefined`: it is done. Otherwise who else is at it. */
  async tryRecover(dead: Id): Promise<Standing | undefined> {
    const underWay = this.#underWay.get(dead);
    if (underWay !== undefined) return await underWay;
    const recovering = this.#recoverUnderLock(dead).finally(() => this.#underWay.delete(dead));
    this.#underWay.set(dead, recovering);
    return await recovering;
  }

  async #recoverUnderLock(dead: Id): Promise<Standing | undefined> {
    const { host, layout, leaseFiles, otherInstances } = this.#deps;
    const onDamage = (damage: Damage): void => {
      this.#damage = [...this.#damage, damage];
      this.#deps.onDamage(damage);
    };
    const lock = await this.#lock(dead);
    if (typeof lock !== "number") return lock;
    try {
      // Whoever had the lock before us may have done it all.
      if (!(await otherInstances.hasEnded(dead))) {
        // What is kept aside lies in a file that verify reports by itself.
        const onStrays = (damage: Damage): void => this.#deps.onDamage(damage);
        const otherRecords = async (): Promise<readonly JournalRecord[]> => await this.#recordsBeside(dead);
        await recoverJournal({ files: host.files, layout, otherRecords, onStrays }, dead, onDamage);
      }
    } catch (error) {
      throw ioError(error, "recovering what a dead process has left", journalPath(layout, dead));
    } finally {
      await leaseFiles.removeLast(recoveryLockOf(dead), lock);
    }
    return undefined;
  }

  /**
   * What the other dead instances have acknowledged. A journal that cannot be read is passed over: what does not fit
   * without it is kept aside, and a repair puts it back.
   */
  async #recordsBeside(dead: Id): Promise<readonly JournalRecord[]> {
    const { host, layout, instance, otherInstances } = this.#deps;
    const records: JournalRecord[] = [];
    for (const other of await listInstances(host.files, layout)) {
      if (other === instance || other === dead) continue;
      if ((await otherInstances.look(other)).liveness !== "dead") continue;
      const found = await syncAndReadJournal(host.files, journalPath(layout, other)).catch(() => undefined);
      if (found?.kind === "journal") for (const record of found.contents.records) records.push(record);
    }
    return records;
  }

  /** The number of the lock; or who has it. That of a dead one may be taken: he has changed nothing that stays half. */
  async #lock(dead: Id): Promise<number | Standing> {
    const { host, instance, leaseFiles, otherInstances } = this.#deps;
    const name = recoveryLockOf(dead);
    for (;;) {
      const row = await leaseFiles.readRow(name);
      const newest = row.epochs.at(-1);
      const holder = newest === undefined ? undefined : await leaseFiles.readHolder(name, newest);
      if (holder?.kind === "gone") continue;
      if (holder?.kind === "unclear" && (await otherInstances.mayLiveBeside(instance)))
        return { liveness: "unproven", owner: undefined };
      if (holder?.kind === "held" && holder.instance !== instance) {
        const standing = await otherInstances.look(holder.instance);
        if (standing.liveness === "alive" || standing.liveness === "unproven") return standing;
      }
      const taken = await leaseFiles.takeAfter(name, row, new Date(host.now()).toISOString());
      if (taken !== undefined) return taken.epoch;
    }
  }
}

async function recoverJournal(
  deps: ReplayDeps,
  instance: Id,
  onDamage: (damage: Damage) => void,
): Promise<void> {
  const { files, layout } = deps;
  const path = journalPath(layout, instance);
  // Before anything is changed: what a newer version has left is left to it.
  await syncAndReadJournal(files, path);
  const hadGivenUp = (await files.stat(fencePath(layout, instance))) !== undefined;
  await placeMark(files, fencePath(layout, instance));
  // Before the journal is read or copied: if its owner lives after all, it finds no gate, changes no name and answers for
  // nothing that was not read here.
  await removeDirectoryIfThere(files, gatePath(layout, instance));
  if (hadGivenUp) await replaceByCopy(files, layout, path);
  const found = await syncAndReadJournal(files, path);
  await syncNames(files, layout);
  if (found.kind === "journal") await replayRecords(deps, found.contents.records);
  const problem = problemOf(found);
  if (problem !== undefined) await setAside(files, layout, path, problem, onDamage);
  if (found.kind === "journal") await emptyJournal(files, path, found.contents);
  await removeIfThere(files, path);
  await files.syncDirectory(layout.journals);
  // Only now: a journal that a power loss brings back needs them as a proof of death.
  await removeIfThere(files, socketPath(layout, instance));
  await removeIfThere(files, fencePath(layout, instance));
}

/**
 * An instance that has given itself up may have done so because a sync of its journal failed: then what is seen there is
 * lost with the next power cut, whatever later syncs say, and of what was applied from it only a part might be left. A
 * copy is new to the disk.
 */
async function replaceByCopy(files: FileSystem, layout: Layout, path: string): Promise<void> {
  const copyPath = `${path}.copy`;
  await removeIfThere(files, copyPath);
  await useFile(await files.open(path, "read"), async (journal) => {
    const bytes = Buffer.allocUnsafe((await journal.stat()).size);
    const length = await journal.read(bytes, 0);
    await useFile(await files.open(copyPath, "create"), async (copy) => {
      await writeFully(copy, bytes.subarray(0, length), 0);
      await copy.sync();
    });
  });
  await files.rename(copyPath, path);
  await files.syncDirectory(layout.journals);
}

/** Names that a dead instance has changed are seen, not durable; whoever takes its leases next relies on them. */
async function syncNames(files: FileSystem, layout: Layout): Promise<void> {
  for (const directory of [
    layout.directory,
    layout.archive,
    layout.trash,
    layout.segments,
    layout.temporary,
  ]) {
    if ((await files.stat(directory))?.kind === "directory") await files.syncDirectory(directory);
  }
}

/**
 * Empty even if its removal is undone: both copies of its head name later generations, durably, one after the other.
 * Should its owner live after all, it may be about to begin its next generation, over one of the two: the other counts.
 */
async function emptyJournal(files: FileSystem, path: string, { head }: JournalContents): Promise<void> {
  await useFile(await files.open(path, "write"), async (file) => {
    for (const generation of [head.generation + 3, head.generation + 4]) {
      await writeFully(file, encodeHead({ ...head, generation }), headPosition(generation));
      await file.sync();
    }
  });
}

async function setAside(
  files: FileSystem,
  layout: Layout,
  path: string,
  reason: string,
  onDamage: (damage: Damage) => void,
): Promise<void> {
  await useFile(await files.open(path, "read"), async (file) => {
    const bytes = (await file.stat()).size;
    await keepAside(files, file, { offset: 0, bytes }, path, layout.damaged);
    onDamage({ file: path, offset: 0, bytes, kind: "corrupt", reason });
  });
}
