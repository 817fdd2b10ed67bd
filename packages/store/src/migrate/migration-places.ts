/** Where a migration reads and writes. The caller owns the layout of a store and hands its directories in. */

import type { FileName } from "../format/key.ts";
import type { Id } from "../format/session-id.ts";

export interface MigrationPlaces {
  /** Of the active sessions; what older programs left lies here too. */
  readonly directory: string;
  readonly archive: string;
  readonly trash: string;
  /** Other names of sessions. */
  readonly aliases: string;
  /** The store's own directory. */
  readonly own: string;
  /** Where damaged bytes are kept. */
  readonly damaged: string;
  /** Marks of sessions that were removed for good, named after their ids. */
  readonly removed: string;
  /** What the file of an archived session is called. */
  readonly putAwayName: (activeName: FileName, id: Id) => string;
}

/** New session files, complete and synced, before they have their names. */
export function stagingDirectory({ own }: MigrationPlaces): string {
  return `${own}/migrating`;
}

export function stagedPath(places: MigrationPlaces, id: Id): string {
  return `${stagingDirectory(places)}/${id}.jsonl`;
}

export function cacheDirectory({ own }: Pick<MigrationPlaces, "own">): string {
  return `${own}/cache`;
}

/** What a file is called when its session is in the store. */
export const MIGRATED_SUFFIX = ".migrated";

/** Runs a task while no other process can write to the session of a key. */
export type WithKey = (key: string, task: () => Promise<void>) => Promise<void>;
