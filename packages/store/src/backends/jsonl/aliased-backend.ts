/**
 * A store in which a session may be reached by other keys than its own (files/alias-table.ts). What is done by such a key is
 * done to the session that is meant, which goes on calling itself by its own.
 */

import { isLonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import type {
  BackendLockOptions,
  BackendUpkeepOptions,
  Operation,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
  WantedSessions,
} from "../../contract/backend.ts";
import { OR_ANOTHER_KEY, sessionExists } from "../../contract/session-exists.ts";
import type { OnProgress, VerifyReport, Written } from "../../contract/types.ts";
import type { AliasTable } from "../../engine/files/alias-table.ts";
import type { Layout } from "../../format/layout.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import { findDamagedAliases } from "../../upkeep/damaged-aliases.ts";
import type { WholeBackend } from "../typed-errors.ts";

export interface AliasDeps {
  readonly backend: WholeBackend;
  readonly table: AliasTable;
  readonly files: FileSystem;
  readonly layout: Layout;
  /** The look for files of other programs, which goes on beside the caller's calls. Never rejects. */
  readonly looking: Promise<void>;
}

/** A class, whose methods are compiled by their first call: opening a store calls none. */
export class AliasedBackend implements WholeBackend {
  readonly directory: string | undefined;
  readonly #deps: AliasDeps;
  /** One look for all who ask meanwhile: they go on in the order in which they came. */
  readonly #learning = new Map<string, Promise<void>>();

  constructor(deps: AliasDeps) {
    this.directory = deps.backend.directory;
    this.#deps = deps;
  }

  write(key: string, operation: Operation): Promise<Written> {
    const { backend } = this.#deps;
    const write = (meant: string): Promise<Written> => backend.write(meant, operation);
    return this.#by(key, write).catch(async (error: unknown) => {
      // Refused so, a write has met a name that has come since the store was opened.
      if (!isLonghandError(error, "SESSION_EXISTS")) throw error;
      await this.#learn(key);
      return await this.#by(key, write);
    });
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const { backend, table } = this.#deps;
    const found = await this.#by(key, async (meant) => await backend.snapshot(meant));
    if (found !== undefined) return found;
    await this.#learn(key);
    const meant = table.meant(key);
    return meant === key ? undefined : await backend.snapshot(meant);
  }

  snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    return this.#deps.backend.snapshots(onCount, wanted);
  }

  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    return await this.#deps.backend.infos(onProgress);
  }

  get putAway(): PutAway {
    const { putAway } = this.#deps.backend;
    return {
      archive: async (key) => await this.#by(key, async (meant) => await putAway.archive(meant)),
      restore: async (key, id) => await this.#by(key, async (meant) => await putAway.restore(meant, id)),
      delete: async (key, forever) =>
        await this.#by(key, async (meant) => await putAway.delete(meant, forever)),
      purge: async (before, dryRun) => await putAway.purge(before, dryRun),
    };
  }

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    await this.#by(key, async (parent) => {
      await this.#by(newKey, async (child) => {
        // Another name of the session itself: nobody can be alone with the same key twice.
        if (child === parent) throw sessionExists(newKey, OR_ANOTHER_KEY);
        await this.#deps.backend.fork(parent, child, at);
      });
    });
  }

  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    const { backend, table } = this.#deps;
    await this.#learn(key);
    return await backend.lock(table.meant(key), options);
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    await this.#by(key, async (meant) => await this.#deps.backend.changed(meant, seen, signal));
  }

  get upkeep(): Upkeep {
    const { upkeep } = this.#deps.backend;
    return {
      verify: async (options) =>
        await this.#withDamaged(await upkeep.verify(this.#meantKeys(options)), options),
      repair: async (options) =>
        await this.#withDamaged(await upkeep.repair(this.#meantKeys(options)), options),
      reclaim: async (options) => await upkeep.reclaim(this.#meantKeys(options)),
    };
  }

  async close(): Promise<void> {
    await this.#deps.looking;
    await Promise.allSettled(this.#learning.values());
    await this.#deps.backend.close();
  }

  /** Calls at once, so that what is queued has the order of the calls; only a damaged name is looked at again first. */
  #by<T>(key: string, task: (meant: string) => Promise<T>): Promise<T> {
    const { table } = this.#deps;
    return table.isDamaged(key)
      ? this.#learn(key).then(async () => await task(table.meant(key)))
      : task(table.meant(key));
  }

  async #learn(key: string): Promise<void> {
    let learned = this.#learning.get(key);
    if (learned === undefined) {
      learned = this.#deps.table.learn(key).finally(() => this.#learning.delete(key));
      this.#learning.set(key, learned);
    }
    await learned;
  }

  #meantKeys<O extends BackendUpkeepOptions>(options: O): O {
    const { table } = this.#deps;
    const { keys } = options;
    // A damaged name means no session that could be looked at; that it is damaged is told by itself.
    const meant = keys && [...keys].map((key) => (table.isDamaged(key) ? key : table.meant(key)));
    return { ...options, keys: meant && new Set(meant) };
  }

  async #withDamaged(report: VerifyReport, { keys }: BackendUpkeepOptions): Promise<VerifyReport> {
    const { files, layout } = this.#deps;
    return { ...report, damage: [...report.damage, ...(await findDamagedAliases(files, layout, keys))] };
  }
}
