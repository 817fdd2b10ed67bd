/**
 * The beginning and the end of a store instance: it makes itself known by its socket and its journal, adopts what dead
 * ones have left, and only then may hold leases. From the first to the last of them it has its journal.
 */

import { LonghandError } from "../../errors.ts";
import type { Awaitable, FileStat, FileSystem, Host, Presence } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { placeMark, removeDirectoryIfThere, removeIfThere } from "../../host/small-files.ts";
import type { InstanceDescription } from "../../wal/instance-description.ts";
import { Journal } from "../../wal/journal.ts";
import { newId } from "../../host/new-id.ts";
import type { BackendOptions } from "../../contract/backend.ts";
import { Recovery } from "./recovery.ts";
import { rememberGivenUp } from "../../lease/liveness.ts";
import { LeaseFiles } from "../../lease/lease-files.ts";
import { Leases, wantedLease } from "../../lease/leases.ts";
import {
  fencePath,
  gatePath,
  journalPath,
  newJournalPath,
  socketPath,
  type Layout,
  TEMPORARY_PREFIX,
} from "../../format/layout.ts";
import { OtherInstances } from "../../lease/other-instances.ts";
import { Deadline } from "../../lease/deadline.ts";
import { removeLeftovers } from "./remove-leftovers.ts";
import type { Id } from "../../format/session-id.ts";

export interface Instance {
  readonly self: InstanceDescription;
  readonly journal: Journal;
  readonly otherInstances: OtherInstances;
  readonly recovery: Recovery;
  readonly leases: Leases;
  /** From now on this is called with the lease that somebody else stands in line for. */
  onWanted(wanted: (leaseName: string) => void): void;
  /** A name for a file that is being written, in `layout.temporary`; no two are the same. */
  temporaryPath(): string;
  /**
   * After a durable write and before its answer: false if another process may have taken over. A takeover removes the gate
   * before it reads the journal, so one look at the gate is enough.
   */
  isFenceOpen(): Awaitable<boolean>;
  /** Why nothing more may be written by this instance, as seen from the directory. `undefined`: all is well. */
  whyLost(): Promise<string | undefined>;
  /** Everything is applied and synced: empties and removes the journal. With it all leases are free. */
  end(): Promise<void>;
  /** Declares this instance dead, since its process lives: whoever meets it takes over. */
  giveUp(): Promise<void>;
}

export interface InstanceOptions extends BackendOptions {
  readonly lockWait: number;
}

export async function beginInstance(host: Host, layout: Layout, options: InstanceOptions): Promise<Instance> {
  const id = newId(host);
  const beginning = new Beginning(host, layout, id);
  try {
    return await beginning.complete(options);
  } catch (error) {
    await beginning.abandon().catch((second: unknown) => {
      // Where nothing can be written, tidying up fails as opening did: that is not news.
      if (errorCode(second) !== errorCode(error))
        options.onError(ioError(second, "giving up the store", layout.directory));
    });
    throw ioError(error, "opening the store", layout.directory);
  }
}

class Beginning {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #id: Id;
  #presence: Presence | undefined;
  #journal: Journal | undefined;
  #wanted: (leaseName: string) => void = () => undefined;
  #temporaries = 0;

  constructor(host: Host, layout: Layout, id: Id) {
    this.#host = host;
    this.#layout = layout;
    this.#id = id;
  }

  async complete({ durability, onDamage, lockWait }: InstanceOptions): Promise<Instance> {
    const host = this.#host;
    const layout = this.#layout;
    const instance = this.#id;
    this.#presence = await host.processes.listen(socketPath(layout, instance), (text) => {
      const name = wantedLease(text);
      if (name !== undefined) this.#wanted(name);
    });
    const since = new Date(host.now()).toISOString();
    const fileSystem = await host.files.typeAt(layout.journals);
    const listens = this.#presence !== undefined;
    const self = { instance, since, listens, fileSystem, ...host.processes.self };
    const journal = await Journal.create(host.files, {
      path: journalPath(layout, instance),
      temporary: newJournalPath(layout, instance),
      directory: layout.journals,
      owner: self,
      durability,
    });
    this.#journal = journal;
    await host.files.syncDirectory(layout.journals);
    const place = await ownPlace(host.files, layout, instance);
    await openGate(host.files, layout, instance, place);
    const gate = gatePath(layout, instance);
    const leaseFiles = new LeaseFiles(host.files, layout, instance);
    const otherInstances = new OtherInstances(host, layout);
    const recovery = new Recovery({ host, layout, instance, leaseFiles, otherInstances, onDamage });
    // Leases may be lost with the power while a journal is not: a free lease proves nothing before this is done.
    await recovery.recoverAll(new Deadline(host, { milliseconds: lockWait }));
    const leases = new Leases({ host, layout, self, leaseFiles, otherInstances, recovery });
    await removeLeftovers({ host, layout, otherInstances, leases });
    return {
      self,
      journal,
      otherInstances,
      recovery,
      leases,
      onWanted: (wanted) => {
        this.#wanted = wanted;
      },
      temporaryPath: () => `${layout.temporary}/${TEMPORARY_PREFIX}${instance}-${++this.#temporaries}`,
      isFenceOpen: () => isThere(host.files.stat(gate)),
      whyLost: async () => await whyLost(host.files, layout, instance, place),
      end: async () => {
        await removeJournal(host.files, layout, journal);
        await removeDirectoryIfThere(host.files, gatePath(layout, instance));
        await this.#presence?.close();
      },
      giveUp: async () => await this.#giveUp(place),
    };
  }

  /** It has acknowledged nothing: nothing of it need be taken over. */
  async abandon(): Promise<void> {
    rememberGivenUp(this.#host, this.#id);
    await this.#journal?.close().catch(() => undefined);
    try {
      await removeIfThere(this.#host.files, journalPath(this.#layout, this.#id));
      await removeDirectoryIfThere(this.#host.files, gatePath(this.#layout, this.#id));
      // Before the socket goes: a journal that a power loss brings back needs it as a proof of death.
      await this.#host.files.syncDirectory(this.#layout.journals);
    } finally {
      await this.#presence?.close();
    }
  }

  async #giveUp(place: OwnPlace): Promise<void> {
    // Nothing of it is used any more; the failure that led here is the one to tell.
    await this.#journal?.close().catch(() => undefined);
    rememberGivenUp(this.#host, this.#id);
    try {
      // In a directory that was put in the place of ours there is nothing of ours to mark.
      const now = await ownPlace(this.#host.files, this.#layout, this.#id);
      if (isSameFile(now.journal, place.journal)) {
        await placeMark(this.#host.files, fencePath(this.#layout, this.#id));
        // Before the socket goes: after a power loss one of the two must prove the death.
        await this.#host.files.syncDirectory(this.#layout.journals);
      }
    } finally {
      await this.#presence?.close();
    }
  }
}

function isThere(found: Awaitable<FileStat | undefined>): Awaitable<boolean> {
  return found instanceof Promise ? found.then((stat) => stat !== undefined) : found !== undefined;
}

/** What proves that the directory is still the one that was opened. */
interface OwnPlace {
  readonly directory: FileStat | undefined;
  readonly journal: FileStat | undefined;
}

async function ownPlace(files: FileSystem, layout: Layout, id: Id): Promise<OwnPlace> {
  return {
    directory: await files.stat(layout.directory),
    journal: await files.stat(journalPath(layout, id)),
  };
}

/**
 * After the journal is there, or others would tidy it away. Whoever takes over places the fence first and removes the gate
 * then: if there is no fence after the gate was made, the gate is removed by any takeover that comes.
 */
async function openGate(files: FileSystem, layout: Layout, id: Id, place: OwnPlace): Promise<void> {
  await files.makeDirectory(gatePath(layout, id));
  const lost = await whyLost(files, layout, id, place);
  if (lost === undefined) return;
  const { directory } = layout;
  throw new LonghandError("STORE_FAILED", `${directory}: ${lost}; open the store again`, { directory });
}

async function whyLost(
  files: FileSystem,
  layout: Layout,
  id: Id,
  place: OwnPlace,
): Promise<string | undefined> {
  const isMarked = (await files.stat(fencePath(layout, id))) !== undefined;
  const hasGate = !isMarked && (await files.stat(gatePath(layout, id))) !== undefined;
  // The mark goes when the takeover is complete; by then the journal is gone as well.
  const journal = hasGate ? await files.stat(journalPath(layout, id)) : undefined;
  if (isSameFile(journal, place.journal)) return undefined;
  return isMarked || isSameFile(await files.stat(layout.directory), place.directory)
    ? "it was taken over by another process, which held this one for dead"
    : "the directory was removed, or replaced by another, while the store was open";
}

/** Empty first, and durably so: then it does not matter whether its removal is undone. */
async function removeJournal(files: FileSystem, layout: Layout, journal: Journal): Promise<void> {
  await journal.beginGeneration();
  await journal.close();
  await files.unlink(journal.path);
  await files.syncDirectory(layout.journals);
}
