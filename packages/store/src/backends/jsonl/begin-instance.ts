/**
 * The beginning and the end of a store instance: it makes itself known, takes the lease, adopts what dead ones left,
 * and only then has a journal of its own to write to.
 */

import { isLonghandError } from "../../errors.ts";
import type { FileSystem, Host, Presence } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { placeMark, removeIfThere } from "../../host/small-files.ts";
import { Journal } from "../../journal/journal.ts";
import { TEMPORARY_PREFIX } from "../../log/create-session.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../../record/session-id.ts";
import type { BackendOptions } from "../../store/backend.ts";
import { adoptJournals } from "./adopt-journals.ts";
import { rememberGivenUp, type InstanceDescription } from "./instance.ts";
import { fencePath, journalPath, socketPath, type Layout } from "./layout.ts";
import { takeWriterLease } from "./writer-lease.ts";

export interface Instance {
  readonly journal: Journal;
  /** Somebody has taken this instance over. */
  isFenced(): Promise<boolean>;
  /** Everything is landed and synced: empties and removes the journal, gives the lease back. */
  end(): Promise<void>;
  /** Declares this instance dead, since its process lives: the next opener takes over. */
  giveUp(): Promise<void>;
}

export async function beginInstance(host: Host, layout: Layout, options: BackendOptions): Promise<Instance> {
  const id = makeId(host.now(), host.randomBytes(RANDOM_BYTES_OF_AN_ID));
  let presence: Presence | undefined;
  let journal: Journal | undefined;
  const giveUp = async (): Promise<void> => {
    // Nothing of it is used any more; the failure that led here is the one to tell.
    await journal?.close().catch(() => undefined);
    rememberGivenUp(host, id);
    try {
      await placeMark(host.files, fencePath(layout, id));
    } finally {
      await presence?.close();
    }
  };
  // Where nothing can be written, giving up fails as opening did: that is not news.
  const reportUnlessSame = (second: unknown, first: unknown): void => {
    if (errorCode(second) !== errorCode(first))
      options.onError(ioError(second, "giving up the store", layout.directory));
  };
  try {
    presence = await host.processes.listen(socketPath(layout, id));
    const lease = await takeWriterLease(host, layout, describeInstance(host, id, presence !== undefined));
    const own = await takeOver(host, layout, id, options);
    journal = own;
    const end = async (): Promise<void> => {
      await removeJournal(host.files, layout, own);
      await lease.release();
      await presence?.close();
    };
    return { journal: own, isFenced: async () => await isFenced(host.files, layout, id), end, giveUp };
  } catch (error) {
    // Refused: there is nothing to give up. Otherwise the lease may be ours already.
    if (isLonghandError(error, "SESSION_LOCKED")) await presence?.close();
    else await giveUp().catch((second: unknown) => reportUnlessSame(second, error));
    throw ioError(error, "opening the store", layout.directory);
  }
}

function describeInstance(host: Host, instance: string, listens: boolean): InstanceDescription {
  return { instance, since: new Date(host.now()).toISOString(), listens, ...host.processes.self };
}

/** Under the lease: what dead instances left is landed before this one has a journal to write to. */
async function takeOver(host: Host, layout: Layout, id: string, options: BackendOptions): Promise<Journal> {
  const { files } = host;
  await adoptJournals(host, layout, options.onDamage);
  await removeLeftovers(host, layout);
  // Names that a dead instance has changed are seen, not durable; what we do next relies on them.
  for (const directory of [layout.directory, layout.archive, layout.trash]) {
    if ((await files.stat(directory)) !== undefined) await files.syncDirectory(directory);
  }
  const journal = await Journal.create(files, journalPath(layout, id), id, options.durability);
  await files.syncDirectory(layout.journals);
  return journal;
}

/** Empty first, and durably so: then it does not matter whether its removal is undone. */
async function removeJournal(files: FileSystem, layout: Layout, journal: Journal): Promise<void> {
  await journal.beginGeneration();
  await journal.close();
  await files.unlink(journal.path);
  await files.syncDirectory(layout.journals);
}

async function isFenced(files: FileSystem, layout: Layout, id: string): Promise<boolean> {
  // The mark goes when the takeover is complete; by then the journal is gone as well.
  const isMarked = (await files.stat(fencePath(layout, id))) !== undefined;
  return isMarked || (await files.stat(journalPath(layout, id))) === undefined;
}

/** Temporary files of instances that are dead: the lease says that there is no living one. */
async function removeLeftovers({ files }: Host, layout: Layout): Promise<void> {
  for (const name of await files.readDirectory(layout.directory)) {
    if (name.startsWith(TEMPORARY_PREFIX)) await removeIfThere(files, `${layout.directory}/${name}`);
  }
  for (const name of await files.readDirectory(layout.leases)) {
    if (name.startsWith(".")) await removeIfThere(files, `${layout.leases}/${name}`);
  }
}
