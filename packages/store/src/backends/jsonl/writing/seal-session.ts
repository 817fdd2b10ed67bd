/**
 * Seals a session's active file and begins the next one. A barrier: everything is landed and synced before a name
 * changes, and each name is durable before the next step relies on it. There is never a moment without an active file.
 */

import { LonghandError } from "../../../errors.ts";
import type { FileSystem } from "../../../host/host.ts";
import { errorCode } from "../../../host/io-error.ts";
import { isSameFile } from "../../../host/is-same-file.ts";
import { createFile } from "../../../log/create-session.ts";
import { firstSeqOf } from "../../../log/log-part.ts";
import { segmentDirectory, segmentPath } from "../../../log/segment-path.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import type { Layout } from "../files/layout.ts";
import { makeSegmentDirectory } from "../files/segment-directory.ts";
import type { Tenure } from "./tenure.ts";

export interface SealSurroundings {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** A name for a file that is being written, in the directory of active sessions; no two are the same. */
  temporaryPath(): string;
  /** Lands and syncs, or rejects. */
  settle(log: SessionLog): Promise<void>;
  /** Right before a change that could hide what another has written: rejects if this instance has failed or was taken over. */
  checkMayChange(): Promise<void>;
  /** Makes the names in a directory durable, or stops the instance. */
  syncNames(directory: string): Promise<void>;
}

/** `change`: what becomes of the chain. The log that is returned takes the place of `log`, which the caller closes. */
export async function sealSession(
  around: SealSurroundings,
  log: SessionLog,
  change: (chain: readonly ChainLink[]) => readonly ChainLink[] = (chain) => chain,
): Promise<SessionLog> {
  const { files, layout } = around;
  await around.settle(log);
  const link = linkOf(log);
  if (link !== undefined) await nameSegment(around, log.path, log.header);
  const chain = change(link === undefined ? log.header.chain : [...log.header.chain, link]);
  const header = { ...log.header, file: log.header.file + 1, chain };
  const next = await createFile(files, log.state, {
    header,
    temporary: around.temporaryPath(),
    path: log.path,
    name: async (temporary, path) => {
      await around.checkMayChange();
      await files.rename(temporary, path);
    },
  });
  try {
    await around.syncNames(layout.directory);
    return next;
  } catch (error) {
    await next.close().catch(() => undefined);
    throw error;
  }
}

/** Seals the session of a tenure. If its name has changed before that failed, what was known of the file is forgotten. */
export async function sealHeld(around: SealSurroundings, tenure: Tenure, log: SessionLog): Promise<void> {
  try {
    await tenure.setLog(await sealSession(around, log));
  } catch (error) {
    const isThere = await log.isIn(async () => await around.files.stat(log.path)).catch(() => true);
    if (!isThere && tenure.log === log) await tenure.setLog(undefined);
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

async function nameSegment(around: SealSurroundings, path: string, header: Header): Promise<void> {
  const { files, layout } = around;
  await makeSegmentDirectory(around, header.id);
  const sealed = segmentPath(layout.segments, header.id, header.file);
  try {
    await files.link(path, sealed);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    await checkSameFile(files, path, sealed);
    // A sync of it may have failed, and then it is never durable: the name is made anew.
    await files.unlink(sealed);
    await files.link(path, sealed);
  }
  await around.syncNames(segmentDirectory(layout.segments, header.id));
}

/** A seal that was cut short has left the name: it names the same file. */
async function checkSameFile(files: FileSystem, path: string, sealed: string): Promise<void> {
  if (isSameFile(await files.stat(path), await files.stat(sealed))) return;
  throw new LonghandError(
    "SESSION_DAMAGED",
    `${sealed} is in the way of sealing ${path}, and is another file; move it away`,
    { file: sealed },
  );
}
