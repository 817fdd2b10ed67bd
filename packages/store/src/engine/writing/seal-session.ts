/**
 * Seals a session's active file and begins the next one. A barrier: everything is landed and synced before a name
 * changes, and each name is durable before the next step relies on it. There is never a moment without an active file.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { promised } from "../../host/promised.ts";
import { errorCode } from "../../host/io-error.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { createFile } from "../../session/create-session.ts";
import { firstSeqOf } from "../../session/log-part.ts";
import type { SealedPatches } from "../../session/sealed-source.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../../session/segment-path.ts";
import type { SessionLog } from "../../session/session-log.ts";
import type { ChainLink, Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import { makeSegmentDirectory } from "../files/segment-directory.ts";
import type { HeldSession } from "./held-session.ts";

export interface SealDeps {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** A name for a file that is being written, in `layout.temporary`; no two are the same. */
  temporaryPath(): string;
  /** Lands and syncs, or rejects. */
  settle(log: SessionLog): Promise<void>;
  /** Right before a change that could hide what another has written: rejects if this instance has failed or was taken over. */
  checkMayChange(): Promise<void>;
  /** Makes the names in a directory durable, or stops the instance. */
  syncNames(directory: string): Promise<void>;
  readonly sealedPatches: SealedPatches;
}

/** `change`: what becomes of the chain. The log that is returned takes the place of `log`, which the caller closes. */
export async function sealSession(
  deps: SealDeps,
  log: SessionLog,
  change: (chain: readonly ChainLink[]) => readonly ChainLink[] = (chain) => chain,
): Promise<SessionLog> {
  const { files, layout } = deps;
  await deps.settle(log);
  const link = linkOf(log);
  if (link !== undefined) await nameSegment(deps, log.path, log.header);
  const chain = change(link === undefined ? log.header.chain : [...log.header.chain, link]);
  const header = { ...log.header, file: log.header.file + 1, chain };
  const next = await createFile(files, log.state, {
    header,
    temporary: deps.temporaryPath(),
    path: log.path,
    name: async (temporary, path) => {
      await deps.checkMayChange();
      await files.rename(temporary, path);
    },
  });
  try {
    await deps.syncNames(layout.directory);
    await deps.syncNames(layout.temporary);
    return next;
  } catch (error) {
    await next.close().catch(() => undefined);
    throw error;
  }
}

/** Seals the session of a tenure. If its name has changed before that failed, what was known of the file is forgotten. */
export async function sealHeld(deps: SealDeps, heldSession: HeldSession, log: SessionLog): Promise<void> {
  try {
    await heldSession.setLog(await sealSession(deps, log));
  } catch (error) {
    const isThere = await promised(() => log.isIn(deps.files)).catch(() => true);
    if (!isThere && heldSession.log === log) await heldSession.setLog(undefined);
    throw error;
  }
}

/** The file as a link of the chain; `undefined`: it has no records. */
export function linkOf(log: SessionLog): ChainLink | undefined {
  const { header, state, end, sum } = log;
  const first = firstSeqOf(header);
  if (state.seq < first) return undefined;
  return { file: header.file, first, last: state.seq, bytes: end, sum, until: state.updated ?? header.at };
}

async function nameSegment(deps: SealDeps, path: string, header: Header): Promise<void> {
  const { files, layout } = deps;
  await makeSegmentDirectory(deps, header.id);
  const sealed = segmentPath(layout.segments, header.id, header.file);
  await checkNumberFree(files, path, sealed);
  try {
    await files.link(path, sealed);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    // A sync of it may have failed, and then it is never durable: the name is made anew.
    await files.unlink(sealed);
    await files.link(path, sealed);
  }
  await deps.syncNames(segmentDirectory(layout.segments, header.id));
}

/**
 * Rejects if another file has the number under any name that a sealed file may have: it holds records of another history of the
 * session, which a plain file beside it would hide and the next compression would write over. A seal that was cut short has left
 * a name of the same file.
 */
async function checkNumberFree(files: FileSystem, path: string, sealed: string): Promise<void> {
  for (const candidate of segmentCandidates(sealed)) {
    const there = await files.stat(candidate);
    if (there === undefined || isSameFile(there, await files.stat(path))) continue;
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${candidate} is in the way of sealing ${path}, and is another file; a repair moves it to the damaged files, or move it out of the store`,
      { file: candidate },
    );
  }
}
