/** Reclaims space session by session, each under the lease of its key. */

import { isLonghandError, type LonghandErrorCode } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import type { SessionLog } from "../session/session-log.ts";
import type { BackendUpkeepOptions } from "../contract/backend.ts";
import type { DroppedRecords, Reclaimed } from "../contract/types.ts";
import { PUT_AWAY, putAwayFilesOf, sessionFiles, tryReadHeader } from "../engine/files/find-session-file.ts";
import type { Layout } from "../format/layout.ts";
import type { ReadPlace } from "../engine/reading/read-session.ts";
import {
  type OnShare,
  reclaimActive,
  reclaimPutAway,
  type ReclaimDeps,
  type ReclaimWhat,
} from "./reclaim-session.ts";

/**
 * Runs the task while this instance alone may write to the key; `log` is its active session, if it has one, and `what`
 * says what may go of it.
 */
export type RunAlone = (
  key: string,
  task: (deps: ReclaimDeps, log: SessionLog | undefined, what: ReclaimWhat) => Promise<void>,
) => Promise<void>;

export async function reclaimStore(
  place: ReadPlace,
  { keys, onProgress }: BackendUpkeepOptions,
  alone: RunAlone,
): Promise<Reclaimed> {
  const { files, layout, onError } = place;
  const wanted = keys === undefined ? await everyKey(place) : await pathsOf(files, layout, keys);
  let bytesBefore = 0;
  let bytesAfter = 0;
  const dropped: DroppedRecords[] = [];
  let done = 0;
  for (const [key, paths] of wanted) {
    const before = done++;
    onProgress(before, wanted.size);
    const reclaiming = alone(key, async (deps, log, what) => {
      const count = paths.length + 1;
      const shareOf =
        (index: number): OnShare =>
        (share) =>
          onProgress(before + (index + share) / count, wanted.size);
      const results = log === undefined ? [] : [await reclaimActive(deps, log, what, shareOf(0))];
      for (const [index, path] of paths.entries())
        results.push(await reclaimPutAway(deps, path, what, shareOf(index + 1)));
      for (const result of results) {
        bytesBefore += result.bytesBefore;
        bytesAfter += result.bytesAfter;
        dropped.push(...(result.dropped ?? []));
      }
    });
    await reclaiming.catch((error: unknown) => {
      // The others need not suffer for it; whoever asked for this one is told.
      if (!isLonghandError(error) || !OF_ONE_SESSION.has(error.code) || keys !== undefined) throw error;
      onError(error);
    });
  }
  onProgress(wanted.size, wanted.size);
  return { bytesBefore, bytesAfter, ...(dropped.length === 0 ? {} : { dropped }) };
}

/** Its owner goes on with it; it is damaged, may not be read or written, or is of a newer format. */
const OF_ONE_SESSION: ReadonlySet<LonghandErrorCode> = new Set([
  ...(["SESSION_LOCKED", "SESSION_DAMAGED", "FORMAT_TOO_NEW", "IO_FAILED"] as const),
]);

/** By key: where its archived and deleted sessions lie. */
async function everyKey({ files, layout, onError }: ReadPlace): Promise<Map<string, string[]>> {
  const wanted = new Map<string, string[]>();
  for (const { path, status } of await sessionFiles(files, layout)) {
    const key = (await tryReadHeader(files, path, onError))?.key;
    if (key === undefined) continue;
    const paths = wanted.get(key) ?? [];
    wanted.set(key, status === "active" ? paths : [...paths, path]);
  }
  return wanted;
}

/** Without looking at any other session. */
async function pathsOf(
  files: FileSystem,
  layout: Layout,
  keys: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const wanted = new Map<string, string[]>();
  for (const key of keys) {
    const away = await Promise.all(
      PUT_AWAY.map(async (status) => await putAwayFilesOf(files, layout, status, key)),
    );
    wanted.set(
      key,
      away.flat().map(({ path }) => path),
    );
  }
  return wanted;
}
