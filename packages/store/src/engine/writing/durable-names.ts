/** The names that this instance changes, made durable. If a sync fails, which names are on the disk is unknown: the instance stops. */

import type { LonghandError } from "../../errors.ts";
import type { Layout } from "../../format/layout.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import type { FileSystem } from "../../host/host.ts";
import { ioError, isNotOpened, pathOf } from "../../host/io-error.ts";
import { NameSync } from "../files/name-sync.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";

export type NamedDirectory = SessionInfo["status"] | "temporary";

export class DurableNames {
  readonly #files: FileSystem;
  readonly #layout: Layout;
  readonly #pipeline: CommitPipeline;
  readonly #names: Readonly<Record<NamedDirectory, NameSync>>;
  #unknown: Promise<LonghandError> | undefined;
  /** Directories that could not be opened to be synced, with the number of the last such attempt: they come first next time. */
  readonly #owed = new Map<string, number>();
  #attempts = 0;

  constructor(files: FileSystem, layout: Layout, pipeline: CommitPipeline) {
    this.#files = files;
    this.#layout = layout;
    this.#pipeline = pipeline;
    this.#names = {
      active: new NameSync(files, layout.directory),
      archived: new NameSync(files, layout.archive),
      trashed: new NameSync(files, layout.trash),
      temporary: new NameSync(files, layout.temporary),
    };
  }

  /** Changes names in these two directories, which may be the same. */
  async change<T>(one: NamedDirectory, other: NamedDirectory, change: () => Promise<T>): Promise<T> {
    return await this.#names[one].change(async () => await this.#names[other].change(change));
  }

  /** Every name that was changed here before is durable when it resolves. */
  async sync(): Promise<void> {
    await this.#syncOrStop(async () => {
      await Promise.all(Object.values(this.#names).map(async (names) => await names.sync()));
    });
  }

  /** The names in one directory, whatever has changed them. */
  async syncDirectory(path: string): Promise<void> {
    await this.#syncOrStop(async () => {
      try {
        await this.#files.syncDirectory(path);
      } catch (error) {
        if (isNotOpened(error)) this.#owed.set(path, ++this.#attempts);
        throw error;
      }
    });
  }

  async #syncOwed(): Promise<void> {
    for (const [path, attempt] of this.#owed) {
      await this.#files.syncDirectory(path);
      if (this.#owed.get(path) === attempt) this.#owed.delete(path);
    }
  }

  /** A sync that has failed may have been for other names as well: no later one may say yes to them. */
  async #syncOrStop(sync: () => Promise<void>): Promise<void> {
    try {
      await this.#syncOwed();
      await sync();
    } catch (cause) {
      // Nothing was synced, and nothing has failed to be: the next write that needs these names tries again.
      if (this.#unknown === undefined && isNotOpened(cause))
        throw ioError(
          cause,
          "opening a directory to sync a change of names, which may be there or not,",
          pathOf(cause) ?? this.#layout.directory,
          { names: "unknown" },
        );
      this.#unknown ??= this.#pipeline.namesUnknown(cause);
    }
    if (this.#unknown !== undefined) throw await this.#unknown;
  }
}
