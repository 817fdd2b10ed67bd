/**
 * Every session file of a store, while other processes archive, restore, delete and seal sessions. A session that exists
 * during the whole iteration is met at least once, provided that each file is looked at when it is yielded, before the
 * next one is asked for; `move-marks.ts` says why. It may be met more than once: the consumer tells sessions by their id.
 */

import type { FileStat, FileSystem } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { SESSION_SUFFIX } from "../../format/key.ts";
import { activeFile, filesIn, PUT_AWAY, putAwayFilesNamed, type SessionFile } from "./find-session-file.ts";
import type { Layout, LeaseName } from "../../format/layout.ts";
import { movesOfAll, SettledLook } from "./move-marks.ts";

export interface MetFile {
  readonly file: SessionFile;
  /** A file of this name, or another of its key, was met before. It may be gone, or hold a session that was met. */
  readonly isAgain: boolean;
}

/** `onCount` is told once how many there are at the beginning. */
export async function* everySessionFile(
  files: FileSystem,
  layout: Layout,
  onCount: (sessions: number) => void = () => undefined,
): AsyncGenerator<MetFile> {
  const before = await movesOfAll(files, layout);
  const active = await filesIn(files, layout, "active");
  const putAway = await Promise.all(PUT_AWAY.map(async (status) => await filesIn(files, layout, status)));
  onCount(active.length + putAway.flat().length);
  const met = new Map<string, FileStat | undefined>();
  for (const file of active) {
    const stat = files.stat(file.path);
    met.set(file.path, stat instanceof Promise ? await stat : stat);
    yield { file, isAgain: false };
  }
  for (const status of PUT_AWAY) {
    for (const file of await filesIn(files, layout, status)) yield { file, isAgain: false };
  }
  // What has come back meanwhile; also in the place of another that has left.
  for (const file of await filesIn(files, layout, "active")) {
    const isAgain = met.has(file.path);
    if (!isAgain || !isSameFile(await files.stat(file.path), met.get(file.path))) yield { file, isAgain };
  }
  for (const name of changed(before, await movesOfAll(files, layout)))
    yield* everyFileNamed(files, layout, name);
}

/** The same for one key, by the name of its lease. */
async function* everyFileNamed(files: FileSystem, layout: Layout, name: LeaseName): AsyncGenerator<MetFile> {
  const file = activeFile(layout, `${name}${SESSION_SUFFIX}`);
  const look = new SettledLook(files, layout, name);
  while (await look.isNeeded()) {
    yield { file, isAgain: true };
    for (const status of PUT_AWAY) {
      for (const away of await putAwayFilesNamed(files, layout, status, name))
        yield { file: away, isAgain: true };
    }
    yield { file, isAgain: true };
  }
}

type Moves = ReadonlyMap<LeaseName, number>;

function changed(before: Moves, after: Moves): LeaseName[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
