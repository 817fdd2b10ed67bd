/**
 * A session that is being made by a fork, or removed for good: its file under a temporary name with its id. The stub is
 * there, durably, before the session has sealed files and no name yet, or has them still and no name any more. So whoever
 * finds one that a dead instance has left knows whose sealed files to remove, without looking at every session.
 */

import { isLonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { namesIn } from "../../host/names-in.ts";
import { removeIfThere } from "../../host/small-files.ts";
import { segmentDirectory } from "../../session/segment-path.ts";
import { isId, type Id } from "../../format/session-id.ts";
import { sessionFiles, tryReadHeader } from "./find-session-file.ts";
import {
  idInName,
  removedPath,
  temporaryDirectories,
  type Layout,
  TEMPORARY_PREFIX,
} from "../../format/layout.ts";
import { removeSegments } from "./remove-segments.ts";

const STUB = /^-[0-9]+\.([0-9A-Z]{26})$/;
const ID_LENGTH = 26;

export function stubPath(temporary: string, sessionId: Id): string {
  return `${temporary}.${sessionId}`;
}

/** Whose stub it is; `undefined`: it is none. */
export function sessionOfStub(name: string): Id | undefined {
  if (!name.startsWith(TEMPORARY_PREFIX)) return undefined;
  const id = STUB.exec(name.slice(TEMPORARY_PREFIX.length + ID_LENGTH))?.[1];
  return isId(id) ? id : undefined;
}

/** The sessions that somebody is making or removing, or was when he died. */
export async function stubbedSessions(files: FileSystem, layout: Layout): Promise<Id[]> {
  const found: Id[] = [];
  for (const directory of temporaryDirectories(layout)) {
    for (const name of await namesIn(files, directory)) {
      const id = sessionOfStub(name);
      if (id !== undefined) found.push(id);
    }
  }
  return found;
}

/** Does something while nobody else may change, or move, the session of a key; not at all if somebody else may just now. */
export type UnderLease = (key: string, work: () => Promise<void>) => Promise<void>;

/**
 * Of a dead instance. A session that has its name is left alone, and so is everything while it cannot be told whether it
 * has: what is removed here is proven to be nobody's. What is left now, the next who opens the store looks at again.
 */
export async function removeStub(
  files: FileSystem,
  layout: Layout,
  stub: { readonly path: string; readonly sessionId: Id },
  underLease: UnderLease,
): Promise<void> {
  try {
    await removeProven(files, layout, stub, underLease);
  } catch (error) {
    // Its sealed files lie behind a link. The store is opened all the same, and verify reports what is left.
    if (!isLonghandError(error, "DIRECTORY_UNSAFE")) throw error;
  }
}

async function removeProven(
  files: FileSystem,
  layout: Layout,
  { path, sessionId }: { readonly path: string; readonly sessionId: Id },
  underLease: UnderLease,
): Promise<void> {
  if ((await files.stat(removedPath(layout, sessionId))) !== undefined) {
    await removeUnlessFound(files, layout, { path, sessionId });
    return;
  }
  const sealed = await namesIn(files, segmentDirectory(layout.segments, sessionId));
  // Nothing is left over, or the session has its name already, which is made as a second one of the stub.
  if (sealed.length === 0 || ((await files.stat(path))?.links ?? 0) > 1) {
    await removeIfThere(files, path);
    return;
  }
  const header = await tryReadHeader(files, path, () => undefined);
  if (header?.id !== sessionId) return;
  // Else it could go from a place that we have not looked at yet to one where we have.
  await underLease(header.key, async () => {
    await removeUnlessFound(files, layout, { path, sessionId });
  });
}

/** The sealed files go only if no file has the session's id: somebody may have put a copy of it back. */
async function removeUnlessFound(
  files: FileSystem,
  layout: Layout,
  { path, sessionId }: { readonly path: string; readonly sessionId: Id },
): Promise<void> {
  const isGone = await isNowhere(files, layout, sessionId);
  if (isGone === undefined) return;
  if (isGone) await removeSegments(files, layout, sessionId);
  await removeIfThere(files, path);
}

/** `undefined`: there is a file that does not say whose it is. */
async function isNowhere(files: FileSystem, layout: Layout, sessionId: Id): Promise<boolean | undefined> {
  for (const file of await sessionFiles(files, layout)) {
    const id = idInName(file) ?? (await tryReadHeader(files, file.path, () => undefined))?.id;
    if (id === undefined) return undefined;
    if (id === sessionId) return false;
  }
  return true;
}
