/**
 * A session that is being made by a fork, or removed for good: its file under a temporary name with its id. The stub is
 * there, durably, before the session has sealed files and no name yet, or has them still and no name any more. So whoever
 * finds one that a dead instance has left knows whose sealed files to remove, without looking at every session.
 */

import type { FileSystem } from "../../../host/host.ts";
import { namesIn } from "../../../host/names-in.ts";
import { removeIfThere } from "../../../host/small-files.ts";
import { TEMPORARY_PREFIX } from "../../../log/create-session.ts";
import { sessionFiles, tryReadHeader } from "./find-session-file.ts";
import { idInName, removedPath, type Layout } from "./layout.ts";
import { removeSegments } from "./remove-segments.ts";

const STUB = /^-[0-9]+\.([0-9A-Z]{26})$/;
const ID_LENGTH = 26;

export function stubPath(temporary: string, sessionId: string): string {
  return `${temporary}.${sessionId}`;
}

/** Whose stub it is; `undefined`: it is none. */
export function sessionOfStub(name: string): string | undefined {
  if (!name.startsWith(TEMPORARY_PREFIX)) return undefined;
  return STUB.exec(name.slice(TEMPORARY_PREFIX.length + ID_LENGTH))?.[1];
}

/** The sessions that somebody is making or removing, or was when he died. */
export async function stubbedSessions(files: FileSystem, { directory }: Layout): Promise<string[]> {
  return (await namesIn(files, directory)).flatMap((name) => sessionOfStub(name) ?? []);
}

/**
 * Of a dead instance. A session that has its name is left alone, and so is everything while it cannot be told whether it
 * has: what is removed here is proven to be nobody's.
 */
export async function removeStub(
  files: FileSystem,
  layout: Layout,
  path: string,
  sessionId: string,
): Promise<void> {
  const isGone = await isNowhere(files, layout, path, sessionId);
  if (isGone === undefined) return;
  if (isGone) await removeSegments(files, layout, sessionId);
  await removeIfThere(files, path);
}

/** `undefined`: there is a file that does not say whose it is. */
async function isNowhere(
  files: FileSystem,
  layout: Layout,
  path: string,
  sessionId: string,
): Promise<boolean | undefined> {
  if ((await files.stat(removedPath(layout, sessionId))) !== undefined) return true;
  // It has its name already, which is made as a second one of the stub.
  if (((await files.stat(path))?.links ?? 0) > 1) return false;
  for (const file of await sessionFiles(files, layout)) {
    const id = idInName(file) ?? (await tryReadHeader(files, file.path, () => undefined))?.id;
    if (id === undefined) return undefined;
    if (id === sessionId) return false;
  }
  return true;
}
