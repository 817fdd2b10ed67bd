/**
 * What an instance that writes reads: sessions that it holds, as it has them; all others as any reader would, after the
 * dead were taken over, or with what they have left laid over the files.
 */

import type { Host } from "../../host/host.ts";
import type { Patch } from "../../session/byte-source.ts";
import type { SessionLog } from "../../session/session-log.ts";
import type { Header } from "../../format/header.ts";
import type { BackendOptions, Snapshot, WantedSessions } from "../../contract/backend.ts";
import type { OnProgress } from "../../contract/types.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import { everySessionFile, type MetFile } from "../files/every-session-file.ts";
import type { Layout } from "../../format/layout.ts";
import type { Instance } from "../instance/begin-instance.ts";
import { unappliedOfOthers } from "../instance/unapplied-of-others.ts";
import { openLogSnapshot } from "./open-log-snapshot.ts";
import type { HeldSessions } from "./held-sessions.ts";
import { listInfos } from "../reading/list-infos.ts";
import { listReadableSessions, newestPutAway, type PutAwaySession } from "../reading/list-sessions.ts";
import { readKey } from "../reading/read-key.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import { wantedFiles } from "../reading/wanted-files.ts";

export interface StoreReadingDeps extends Pick<BackendOptions, "onDamage" | "onError"> {
  readonly host: Host;
  readonly layout: Layout;
  readonly instance: Instance;
  heldSessions(): HeldSessions;
  /** Rejects if the directory is no longer ours. */
  checkPlace(): Promise<void>;
}

export class StoreReading {
  /** For what is read under a lease: everything that others have written to the key is applied. Shared files: `sealedPatches`. */
  readonly applied: ReadPlace;
  readonly #deps: StoreReadingDeps;

  constructor(deps: StoreReadingDeps) {
    const { host, layout, onDamage, onError } = deps;
    this.#deps = deps;
    this.applied = { files: host.files, layout, patchesOf: () => [], onDamage, onError };
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const held = this.#deps.heldSessions().holdIfOpen(key);
    if (held === undefined) return await readKey(await this.place(), key);
    try {
      return this.view(held.log);
    } finally {
      await held.release();
    }
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    const { files, layout } = this.applied;
    const open = this.#deps.heldSessions().openLogs();
    const place = await this.place();
    const seen = new Set<string>();
    for (const log of open) {
      seen.add(log.header.id);
      yield this.view(log);
    }
    const paths = new Set(open.map(({ path }) => path));
    const met = metBefore(paths, everySessionFile(files, layout, onCount));
    yield* listReadableSessions(place, wantedFiles(place, met, wanted), seen);
  }

  /** The info of every session, from the catalog where that still holds. */
  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    const { host, layout, instance } = this.#deps;
    const open = this.#deps.heldSessions().openLogs();
    const place = await this.place();
    const temporaryPath = (): string => instance.temporaryPath();
    return await listInfos(
      { host, layout, temporaryPath, place, onProgress },
      open.map((log) => ({ info: this.view(log).info, path: log.path })),
    );
  }

  /** A session that this instance has open. */
  view(log: SessionLog): Snapshot {
    return openLogSnapshot(this.applied, log, {
      holdIfOpen: (key) => this.#deps.heldSessions().holdIfOpen(key),
      placeOfShared: async () => await this.place(),
    });
  }

  /** For a sealed file, which a fork may share with a session whose writer has died since: the lease of the fork says nothing of that. */
  async sealedPatches(file: Pick<Header, "id" | "file">): Promise<readonly Patch[]> {
    return (await this.place()).patchesOf(file);
  }

  /** Under the lease of a key that has no active session. */
  async newestArchived(key: string): Promise<PutAwaySession | undefined> {
    return await newestPutAway(this.applied, "archived", key);
  }

  /** For sessions that we do not hold: dead instances may have left something that has not landed. */
  async place(onDamage: BackendOptions["onDamage"] = this.#deps.onDamage): Promise<ReadPlace> {
    const { files, layout } = this.applied;
    const patchesOf = await unappliedOfOthers(files, layout, this.#deps.instance, onDamage);
    if (patchesOf !== undefined) return { ...this.applied, patchesOf };
    await this.#deps.checkPlace();
    return this.applied;
  }
}

/** Files at these paths were met: they need be looked at only if they hold another session by now. */
async function* metBefore(paths: ReadonlySet<string>, found: AsyncIterable<MetFile>): AsyncIterable<MetFile> {
  for await (const { file, isAgain } of found) yield { file, isAgain: isAgain || paths.has(file.path) };
}
