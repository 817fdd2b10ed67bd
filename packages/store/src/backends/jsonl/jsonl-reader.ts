/**
 * The directory for reading only: takes no lease, changes nothing, and works while others write. Of living writers'
 * sessions it sees what has landed. The journals of dead ones are read first and laid over the files in memory, so that
 * nothing acknowledged is missing although nobody has recovered it yet.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem, Host } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import type { Damage, SessionInfo } from "../../format/session-record.ts";
import type { Id } from "../../format/session-id.ts";
import type {
  BackendOptions,
  BackendUpkeepOptions,
  OpenBackend,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
  WantedSessions,
} from "../../contract/backend.ts";
import type { OnProgress, VerifyReport } from "../../contract/types.ts";
import { findRecordsWithoutFile, readUnapplied } from "../../engine/instance/dead-journals.ts";
import { everySessionFile } from "../../engine/files/every-session-file.ts";
import { linklessHost } from "../../engine/files/linkless-files.ts";
import { layoutOf, leaseNameOf, type Layout } from "../../format/layout.ts";
import { listInfos } from "../../engine/reading/list-infos.ts";
import { listReadableSessions } from "../../engine/reading/list-sessions.ts";
import { isHeld } from "../../lease/is-held.ts";
import { LeaseFiles } from "../../lease/lease-files.ts";
import { listInstances, OtherInstances } from "../../lease/other-instances.ts";
import { purgeTrash } from "../../upkeep/purge-trash.ts";
import { wantedFiles } from "../../engine/reading/wanted-files.ts";
import { readKey } from "../../engine/reading/read-key.ts";
import type { ReadPlace } from "../../engine/reading/read-session.ts";
import { SessionChanges } from "../../engine/reading/session-changes.ts";
import { verifyPlace } from "../../upkeep/verify-place.ts";
import type { VerifyStorePlace } from "../../upkeep/verify-store.ts";
import { promised } from "../../host/promised.ts";
import { estimateReclaimOnDemand, verifyStoreOnDemand } from "../../upkeep/on-demand.ts";

export class JsonlReader implements OpenBackend {
  readonly directory: string;
  readonly putAway: PutAway = {
    archive: async () => await this.write(),
    restore: async () => await this.write(),
    delete: async () => await this.write(),
    purge: async (before, dryRun) =>
      dryRun
        ? await purgeTrash(await this.#place(), { before, dryRun }, () => this.write())
        : await this.write(),
  };
  readonly upkeep: Upkeep = {
    verify: async (options) => await this.#verify(options),
    repair: async () => await this.write(),
    reclaim: async (options) =>
      options.dryRun ? await estimateReclaimOnDemand(await this.#place(), options) : await this.write(),
  };
  readonly #changes: SessionChanges;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #options: BackendOptions;
  readonly #otherInstances: OtherInstances;

  constructor(host: Host, directory: string, options: BackendOptions) {
    this.directory = directory;
    this.#layout = layoutOf(directory);
    this.#host = linklessHost(host, this.#layout);
    this.#options = options;
    this.#otherInstances = new OtherInstances(this.#host, this.#layout);
    this.#changes = new SessionChanges(this.#host, this.#layout, async (key) => await this.snapshot(key));
  }

  write(): Promise<never> {
    const { directory } = this;
    const message = `${directory} was opened with readOnly; open it without to write`;
    return Promise.reject(new LonghandError("STORE_READ_ONLY", message, { directory }));
  }

  async fork(): Promise<never> {
    return await this.write();
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    await this.#changes.next(key, seen, signal);
  }

  async lock(): Promise<never> {
    return await this.write();
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    return await readKey(await this.#place(), key);
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    const place = await this.#place();
    const met = everySessionFile(this.#host.files, this.#layout, onCount);
    yield* listReadableSessions(place, wantedFiles(place, met, wanted));
  }

  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    const place = await this.#place();
    return await listInfos({ host: this.#host, layout: this.#layout, place, onProgress });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The journals before the files: a takeover that ends between the two has then landed what we no longer find. */
  async #place(onDamage = this.#options.onDamage): Promise<ReadPlace> {
    const { files } = this.#host;
    const { onError } = this.#options;
    const layout = this.#layout;
    try {
      const patchesOf = await readUnapplied(files, layout, await this.#deadInstances(), onDamage);
      return {
        files,
        layout,
        patchesOf,
        onDamage,
        onError,
        mayBeGrowing: async (key) =>
          await isHeld(new LeaseFiles(files, layout, ""), this.#otherInstances, leaseNameOf(key)),
      };
    } catch (error) {
      if (errorCode(error) === "ENOTDIR") throw await notADirectory(files, layout);
      throw ioError(error, "reading the journals", layout.journals);
    }
  }

  async #verify(options: BackendUpkeepOptions): Promise<VerifyReport> {
    const journalDamage: Damage[] = [];
    const { files, layout, patchesOf } = await this.#place((damage) => journalDamage.push(damage));
    const recordsWithoutFile: VerifyStorePlace["recordsWithoutFile"] = async (names) =>
      await findRecordsWithoutFile(files, layout, await this.#deadInstances(), names);
    const otherInstances = this.#otherInstances;
    const found = { patchesOf, journalDamage, recordsWithoutFile };
    const place = { files, layout, otherInstances, ...found, self: undefined };
    return await verifyStoreOnDemand(verifyPlace(place), options);
  }

  async #deadInstances(): Promise<Id[]> {
    const dead: Id[] = [];
    for (const instance of await listInstances(this.#host.files, this.#layout)) {
      if ((await this.#otherInstances.look(instance)).liveness === "dead") dead.push(instance);
    }
    return dead;
  }
}

/** Names the first of the directories that is none. */
async function notADirectory(
  files: FileSystem,
  { directory, own, journals }: Layout,
): Promise<LonghandError> {
  for (const path of [own, journals]) {
    const stat = await promised(() => files.stat(path)).catch(() => undefined);
    if (stat !== undefined && stat.kind !== "directory")
      return new LonghandError("DIRECTORY_UNSAFE", `${path} is not a directory; move it away`, {
        directory: path,
      });
  }
  return new LonghandError("DIRECTORY_UNSAFE", `${directory} is not a directory`, { directory });
}
