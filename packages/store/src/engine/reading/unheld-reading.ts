/**
 * What a store that is open for writing reads as long as it has no instance: every session as any reader would, with what dead
 * instances have left laid over the files. It changes nothing.
 */

import { LonghandError } from "../../errors.ts";
import type { FileStat, Host } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import type { Id } from "../../format/session-id.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import type { Layout } from "../../format/layout.ts";
import type { BackendOptions, Snapshot, WantedSessions } from "../../contract/backend.ts";
import type { OnProgress } from "../../contract/types.ts";
import { listInstances, type OtherInstances } from "../../lease/other-instances.ts";
import { everySessionFile } from "../files/every-session-file.ts";
import { readUnapplied } from "../instance/dead-journals.ts";
import { listInfos } from "./list-infos.ts";
import { listReadableSessions } from "./list-sessions.ts";
import { readKey } from "./read-key.ts";
import type { ReadPlace } from "./read-session.ts";
import type { CatalogDeps } from "./session-catalog.ts";
import { wantedFiles } from "./wanted-files.ts";

export interface UnheldReadingDeps extends Pick<BackendOptions, "onDamage" | "onError"> {
  readonly host: Host;
  readonly layout: Layout;
  readonly otherInstances: OtherInstances;
  /** The store's directory as it was when the store was opened. */
  readonly opened: FileStat | undefined;
}

export class UnheldReading {
  readonly #deps: UnheldReadingDeps;

  constructor(deps: UnheldReadingDeps) {
    this.#deps = deps;
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    return await readKey(await this.#place(), key);
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    const { host, layout } = this.#deps;
    const place = await this.#place();
    const met = everySessionFile(host.files, layout, onCount);
    yield* listReadableSessions(place, wantedFiles(place, met, wanted));
  }

  async infos(
    onProgress: OnProgress,
    temporaryPath: CatalogDeps["temporaryPath"],
  ): Promise<readonly SessionInfo[]> {
    const { host, layout } = this.#deps;
    const place = await this.#place();
    return await listInfos({ host, layout, temporaryPath, place, onProgress });
  }

  /** Rejects if the store's directory is not the one that was opened. */
  async checkPlace(): Promise<void> {
    const { host, layout, opened } = this.#deps;
    const { directory } = layout;
    if (isSameFile(await host.files.stat(directory), opened)) return;
    const lost = "the directory was removed, or replaced by another, while the store was open";
    const message = `${directory}: ${lost}; nothing was written. Reopen the store`;
    throw new LonghandError("STORE_FAILED", message, { directory });
  }

  /** The journals before the files: what a recovery takes out of a journal is in the file by then. */
  async #place(): Promise<ReadPlace> {
    const { host, layout, onDamage, onError } = this.#deps;
    const { files } = host;
    const patchesOf = await readUnapplied(files, layout, await this.#deadInstances(), onDamage);
    await this.checkPlace();
    return { files, layout, patchesOf, onDamage, onError };
  }

  async #deadInstances(): Promise<Id[]> {
    const { host, layout, otherInstances } = this.#deps;
    const dead: Id[] = [];
    for (const instance of await listInstances(host.files, layout)) {
      if ((await otherInstances.look(instance)).liveness === "dead") dead.push(instance);
    }
    return dead;
  }
}
