/**
 * A second session that begins with the records of another: hard links to its files, each bounded in the new chain by
 * seq and bytes. What is append-only never changes under it. The files come first, then the name that makes them count:
 * cut short before that, the new session does not exist, and its stub says whose files they are.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { createFile } from "../../session/create-session.ts";
import { firstKeptSeq, partsOf } from "../../session/log-part.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../../session/segment-path.ts";
import type { SessionState } from "../../format/fold.ts";
import { FORMAT_VERSION } from "../../format/format.ts";
import type { ChainLink, Header } from "../../format/header.ts";
import { recordDropped } from "../../format/record-dropped-error.ts";
import { OR_ANOTHER_KEY, sessionExists } from "../../contract/session-exists.ts";
import type { SealDeps } from "./seal-session.ts";
import { removeSegments } from "../files/remove-segments.ts";
import { makeSegmentDirectory } from "../files/segment-directory.ts";
import { stubPath } from "../files/session-stub.ts";
import type { Id } from "../../format/session-id.ts";
import { promised } from "../../host/promised.ts";

/** A session that is landed and synced, and stays so while it is forked. */
export interface Parent {
  readonly path: string;
  readonly header: Header;
  /** Its active file as a link; `undefined`: that has no records. */
  readonly link: ChainLink | undefined;
}

export interface Child {
  readonly key: string;
  readonly id: Id;
  readonly path: string;
  readonly created: string;
  /** What its records, up to the last one it has, have led to. */
  readonly state: SessionState;
}

type ForkDeps = Omit<SealDeps, "settle">;

export async function forkSession(deps: ForkDeps, parent: Parent, child: Child): Promise<void> {
  const { files, layout } = deps;
  const links = parent.link === undefined ? parent.header.chain : [...parent.header.chain, parent.link];
  const chain = boundedChain(links, parent.header, child.state.seq);
  const last = chain.at(-1)?.file;
  const header = { key: child.key, id: child.id, at: child.created, version: FORMAT_VERSION };
  const stub = stubPath(deps.temporaryPath(), child.id);
  const log = await createFile(files, child.state, {
    header: { ...header, file: last === undefined ? 0 : last + 1, chain },
    temporary: stub,
    path: child.path,
    name: async (temporary, path) => {
      try {
        await shareFiles(deps, parent, child, chain);
        // The next owner of the directory may be removing what he takes for left over.
        await deps.checkMayChange();
        await files.link(temporary, path);
      } catch (error) {
        // A link that has failed may be there all the same: then the session is, and its files are its own.
        const isNamed = await areSameFile(files, temporary, path).catch(() => false);
        if (!isNamed) throw errorCode(error) === "EEXIST" ? sessionExists(child.key, OR_ANOTHER_KEY) : error;
      }
    },
    // The stub goes last: while it cannot be told whether the session is there, or its files stay, it says whose they are.
    discard: async (temporary) => {
      if (await areSameFile(files, temporary, child.path)) return;
      await removeSegments(files, layout, child.id);
      await files.unlink(temporary);
    },
  });
  // Everything in it is synced: that it cannot be closed is no failure of the fork.
  await log.close().catch(() => undefined);
  // If this fails the stub must stay: should the name be lost, it alone says whose the shared files are.
  await deps.syncNames(layout.directory);
  // The new session is there, durably: a stub that cannot be removed goes when the store is opened next.
  await promised(() => files.unlink(stub)).catch(() => undefined);
}

async function areSameFile(files: FileSystem, one: string, other: string): Promise<boolean> {
  return isSameFile(await files.stat(one), await files.stat(other));
}

/** The stub's name is durable before there is anything to be left over. */
async function shareFiles(
  deps: ForkDeps,
  parent: Parent,
  child: Child,
  chain: readonly ChainLink[],
): Promise<void> {
  if (chain.length === 0) return;
  await deps.syncNames(deps.layout.temporary);
  await makeSegmentDirectory(deps, child.id);
  for (const { file, dropped } of chain) {
    if (dropped === undefined) await shareFile(deps, parent, child, file);
  }
  await deps.syncNames(segmentDirectory(deps.layout.segments, child.id));
}

/** Rejects with RECORD_DROPPED if the child would end within what is gone. */
export function checkForkPoint(header: Header, seq: number, at: number): void {
  const first = firstKeptSeq(partsOf(header, 0, seq));
  if (at < first && at > 0) throw recordDropped(at, first, seq);
}

/** Sealed files are linked whole, as they never change; the last one counts as far as `at`. */
function boundedChain(links: readonly ChainLink[], { id }: Header, at: number): ChainLink[] {
  return links
    .filter(({ first }) => first <= at)
    .map((link) => ({ ...link, last: Math.min(link.last, at), session: link.session ?? id }));
}

async function shareFile(
  { files, layout }: ForkDeps,
  parent: Parent,
  child: Child,
  file: number,
): Promise<void> {
  const to = segmentPath(layout.segments, child.id, file);
  if (file === parent.header.file) {
    await linkOrCopy(files, parent.path, to);
    return;
  }
  const from = segmentPath(layout.segments, parent.header.id, file);
  for (const candidate of segmentCandidates(from)) {
    if ((await files.stat(candidate)) === undefined) continue;
    await linkOrCopy(files, candidate, to + candidate.slice(from.length));
    return;
  }
  const message = `${from} is not there, so the session cannot be forked; run longhand verify`;
  throw new LonghandError("SESSION_DAMAGED", message, { file: from, key: parent.header.key });
}

/** File systems without hard links, and files that have as many as there can be. */
const NO_LINK: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);
const COPY_BYTES = 1024 * 1024;

async function linkOrCopy(files: FileSystem, from: string, to: string): Promise<void> {
  try {
    await files.link(from, to);
  } catch (error) {
    if (!NO_LINK.has(errorCode(error) ?? "")) throw error;
    await copyFile(files, from, to);
  }
}

async function copyFile(files: FileSystem, from: string, to: string): Promise<void> {
  await useFile(await files.open(from, "read"), async (source) => {
    await useFile(await files.open(to, "create"), async (copy) => {
      const buffer = Buffer.allocUnsafe(COPY_BYTES);
      for (let position = 0; ;) {
        const count = await source.read(buffer, position);
        if (count === 0) break;
        await writeFully(copy, buffer.subarray(0, count), position);
        position += count;
      }
      await copy.sync();
    });
  });
}
