/**
 * What an instance that writes reads: sessions that it holds, as it has them; all others as any reader would, after the
 * dead were taken over, or with what they have left laid over the files.
 */

import type { FileSystem } from "../../../host/host.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { BackendOptions, Snapshot } from "../../../store/backend.ts";
import { everySessionFile, type MetFile } from "../files/every-session-file.ts";
import type { Layout } from "../files/layout.ts";
import type { Instance } from "../instance/begin-instance.ts";
import { unlandedOfOthers } from "../instance/unlanded-of-others.ts";
import { openLogSnapshot } from "../writing/open-log-snapshot.ts";
import type { Tenures } from "../writing/tenures.ts";
import { listReadableSessions, newestPutAway, type PutAwaySession } from "./list-sessions.ts";
import { readKey } from "./read-key.ts";
import type { ReadPlace } from "./read-session.ts";

export interface StoreReadingSurroundings extends Pick<BackendOptions, "onDamage" | "onError"> {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly instance: Instance;
  tenures(): Tenures;
  /** Rejects if the directory is no longer ours. */
  checkPlace(): Promise<void>;
}

export class StoreReading {
  /** For what is read under a lease: everything that others have written to the key has been landed. */
  readonly landed: ReadPlace;
  readonly #around: StoreReadingSurroundings;

  constructor(around: StoreReadingSurroundings) {
    const { files, layout, onDamage, onError } = around;
    this.#around = around;
    this.landed = { files, layout, patchesOf: () => [], onDamage, onError };
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const held = this.#around.tenures().holdIfOpen(key);
    if (held === undefined) return await readKey(await this.place(), key);
    try {
      return this.view(held.log);
    } finally {
      await held.release();
    }
  }

  async *snapshots(onCount?: (sessions: number) => void): AsyncIterable<Snapshot> {
    const { files, layout } = this.landed;
    const open = this.#around.tenures().openLogs();
    const place = await this.place();
    const seen = new Set<string>();
    for (const log of open) {
      seen.add(log.header.id);
      yield this.view(log);
    }
    const paths = new Set(open.map(({ path }) => path));
    yield* listReadableSessions(place, metBefore(paths, everySessionFile(files, layout, onCount)), seen);
  }

  /** A session that this instance has open. */
  view(log: SessionLog): Snapshot {
    return openLogSnapshot(this.landed, log, (key) => this.#around.tenures().holdIfOpen(key));
  }

  /** Under the lease of a key that has no active session. */
  async newestArchived(key: string): Promise<PutAwaySession | undefined> {
    return await newestPutAway(this.landed, "archived", key);
  }

  /** For sessions that we do not hold: dead instances may have left something that has not landed. */
  async place(onDamage: BackendOptions["onDamage"] = this.#around.onDamage): Promise<ReadPlace> {
    const { files, layout } = this.landed;
    const patchesOf = await unlandedOfOthers(files, layout, this.#around.instance, onDamage);
    if (patchesOf !== undefined) return { ...this.landed, patchesOf };
    await this.#around.checkPlace();
    return this.landed;
  }
}

/** Files at these paths were met: they need be looked at only if they hold another session by now. */
async function* metBefore(paths: ReadonlySet<string>, found: AsyncIterable<MetFile>): AsyncIterable<MetFile> {
  for await (const { file, isAgain } of found) yield { file, isAgain: isAgain || paths.has(file.path) };
}
