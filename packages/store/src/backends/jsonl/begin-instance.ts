/**
 * The beginning and the end of a store instance: it makes itself known, takes the lease, adopts what dead ones left,
 * and only then has a journal of its own to write to.
 */

import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { placeMark, removeIfThere } from "../../host/small-files.ts";
import { Journal } from "../../journal/journal.ts";
import { TEMPORARY_PREFIX } from "../../log/create-session.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../../record/session-id.ts";
import type { BackendOptions } from "../../store/backend.ts";
import { adoptJournals } from "./adopt-journals.ts";
import type { InstanceDescription } from "./instance.ts";
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
  const { files, processes } = host;
  const id = makeId(host.now(), host.randomBytes(RANDOM_BYTES_OF_AN_ID));
  const presence = await processes.listen(socketPath(layout, id));
  const self: InstanceDescription = {
    instance: id,
    since: new Date(host.now()).toISOString(),
    listens: presence !== undefined,
    ...processes.self,
  };
  const giveUp = async (): Promise<void> => {
    try {
      await placeMark(files, fencePath(layout, id));
    } finally {
      await presence?.close();
    }
  };
  const lease = await takeWriterLease(host, layout, self).catch(async (error: unknown) => {
    await presence?.close();
    throw error;
  });
  try {
    await adoptJournals(host, layout, options.onDamage);
    await removeLeftovers(host, layout);
    await files.syncDirectory(layout.directory);
    const journal = await Journal.create(files, journalPath(layout, id), id, options.durability);
    await files.syncDirectory(layout.journals);
    return {
      journal,
      isFenced: async () => (await files.stat(fencePath(layout, id))) !== undefined,
      end: async () => {
        await journal.beginGeneration();
        await journal.close();
        await files.unlink(journal.path);
        await files.syncDirectory(layout.journals);
        await lease.release();
        await presence?.close();
      },
      giveUp,
    };
  } catch (error) {
    await giveUp();
    throw ioError(error, "opening the store", layout.directory);
  }
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
