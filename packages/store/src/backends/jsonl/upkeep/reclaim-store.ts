/** Reclaims space session by session, each under the lease of its key. */

import { isLonghandError } from "../../../errors.ts";
import type { FileSystem } from "../../../host/host.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { BackendReclaimOptions } from "../../../store/backend.ts";
import type { Reclaimed } from "../../../store/types.ts";
import { PUT_AWAY, putAwayFilesOf, readHeader, sessionFiles } from "../files/find-session-file.ts";
import type { Layout } from "../files/layout.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import { reclaimActive, reclaimPutAway, type ReclaimSurroundings } from "./reclaim-session.ts";

/** Runs the task while this instance alone may write to the key; `log` is its active session, if it has one. */
export type RunAlone = (
  key: string,
  task: (around: ReclaimSurroundings, log: SessionLog | undefined) => Promise<void>,
) => Promise<void>;

export async function reclaimStore(
  { files, layout, onError }: ReadPlace,
  { keys, onProgress, drop }: Omit<BackendReclaimOptions, "dryRun">,
  alone: RunAlone,
): Promise<Reclaimed> {
  const wanted = keys === undefined ? await everyKey(files, layout) : await pathsOf(files, layout, keys);
  let bytesBefore = 0;
  let bytesAfter = 0;
  let done = 0;
  for (const [key, paths] of wanted) {
    onProgress(done++, wanted.size);
    const reclaiming = alone(key, async (around, log) => {
      const results = log === undefined ? [] : [await reclaimActive(around, log, drop)];
      for (const path of paths) results.push(await reclaimPutAway(around, path));
      for (const result of results) {
        bytesBefore += result.bytesBefore;
        bytesAfter += result.bytesAfter;
      }
    });
    await reclaiming.catch((error: unknown) => {
      // Its owner goes on with it, and the others need not wait; whoever asked for this one is told.
      if (!isLonghandError(error, "SESSION_LOCKED") || keys !== undefined) throw error;
      onError(error);
    });
  }
  onProgress(wanted.size, wanted.size);
  return { bytesBefore, bytesAfter };
}

/** By key: where its archived and deleted sessions lie. */
async function everyKey(files: FileSystem, layout: Layout): Promise<Map<string, string[]>> {
  const wanted = new Map<string, string[]>();
  for (const { path, status } of await sessionFiles(files, layout)) {
    const key = (await readHeader(files, path))?.key;
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
