/** How an instance that writes reads session files: after dead instances were recovered, or with their journals laid over the files. */

import type { BackendOptions } from "../../contract/backend.ts";
import type { Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import type { FileSystem } from "../../host/host.ts";
import type { Patch } from "../../session/byte-source.ts";
import type { Instance } from "../instance/begin-instance.ts";
import { unappliedOfOthers } from "../instance/unapplied-of-others.ts";
import { newestPutAway, type PutAwaySession } from "../reading/list-sessions.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";

export interface StorePlaceDeps extends Pick<BackendOptions, "onDamage" | "onError"> {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly instance: Instance;
  readonly pipeline: CommitPipeline;
}

export class StorePlace {
  /** For reading under a lease: everything that others have written to the key is applied. Shared files: `sealedPatches`. */
  readonly applied: ReadPlace;
  readonly #instance: Instance;
  readonly #pipeline: CommitPipeline;

  constructor({ files, layout, instance, pipeline, onDamage, onError }: StorePlaceDeps) {
    this.applied = { files, layout, patchesOf: () => [], onDamage, onError };
    this.#instance = instance;
    this.#pipeline = pipeline;
  }

  /** For sessions that this instance does not hold: dead instances may have left records that are not applied. */
  async current(onDamage: BackendOptions["onDamage"] = this.applied.onDamage): Promise<ReadPlace> {
    const { files, layout } = this.applied;
    const patchesOf = await unappliedOfOthers(files, layout, this.#instance, onDamage);
    if (patchesOf !== undefined) return { ...this.applied, patchesOf };
    await this.#pipeline.checkPlace();
    return this.applied;
  }

  /** For a sealed file, which a fork may share with a session whose writer has died since: the lease of the fork says nothing of that. */
  async sealedPatches(file: Pick<Header, "id" | "file">): Promise<readonly Patch[]> {
    return (await this.current()).patchesOf(file);
  }

  /** Under the lease of a key that has no active session. */
  async newestArchived(key: string): Promise<PutAwaySession | undefined> {
    return await newestPutAway(this.applied, "archived", key);
  }
}
