/**
 * One id has one file. A copy of a session's file that lies in the store too, under another name or in another place,
 * would be renamed over the session, or the session's sealed files removed with it. So whoever moves or removes a file
 * looks for a second one first, and refuses: which of the two is wanted is for a person to say.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { fileNameOf } from "../../format/key.ts";
import {
  putAwayFiles,
  readHeader,
  sessionFiles,
  tryReadHeader,
  type SessionFile,
} from "./find-session-file.ts";
import { idInName, sessionPath, type Layout } from "../../format/layout.ts";
import { readBeginning } from "./read-beginning.ts";

/** A session's file, and whose it should be. */
export interface OwnFile {
  readonly key: string;
  readonly id: string;
  readonly path: string;
}

/**
 * Before a file is moved: rejects if a file in the archive or the trash, or the key's active one, has the same id. Costs
 * the names in two directories, and one header, however many sessions there are. An active file under another name is
 * nobody's session: nothing is moved over it, and it is found when something is to be removed for good.
 */
export async function checkOnlyFile(files: FileSystem, layout: Layout, own: OwnFile): Promise<void> {
  const putAway = await putAwayFiles(files, layout);
  for (const other of putAway) if (idInName(other) === own.id) await checkOther(files, own, other);
  const path = sessionPath(layout, own.key);
  await checkOther(files, own, { path, name: fileNameOf(own.key), status: "active" });
}

/**
 * Before sessions are removed for good: rejects if any other file of the store has the id of one of them, whatever it is
 * called, or if one of them is not the session that its name says. Reads the header of every session, once for all.
 */
export async function checkOnlyFilesAnywhere(
  files: FileSystem,
  layout: Layout,
  own: readonly OwnFile[],
): Promise<void> {
  const byId = new Map<string, OwnFile>(own.map((each) => [each.id, each]));
  for (const each of own) await checkNamedRight(files, each);
  if (own.length === 0) return;
  for (const other of await sessionFiles(files, layout)) {
    for (const id of await idsOf(files, other, () => undefined)) {
      const found = byId.get(id);
      if (found !== undefined) await checkOther(files, found, other);
    }
  }
}

const ID_FIELD = /"id":"([0-9A-Z]{26})"/g;

/** The session that a file holds; of a damaged header, every one that it may be: a second file is not gone because a bit was flipped. */
async function idsOf(
  files: FileSystem,
  file: SessionFile,
  onUnreadable: (error: LonghandError) => void,
): Promise<ReadonlySet<string>> {
  const header = await tryReadHeader(files, file.path, onUnreadable);
  if (header !== undefined) return new Set([header.id]);
  const ids = new Set<string>();
  const named = idInName(file);
  if (named !== undefined) ids.add(named);
  const start = await readBeginning(files, file.path);
  for (const [, id = ""] of start?.toString("latin1").matchAll(ID_FIELD) ?? []) ids.add(id);
  return ids;
}

/** Another file of the store that has the session's id, or may have it. `undefined`: there is none. Reads the header of every session. */
export async function findSecondFile(
  files: FileSystem,
  layout: Layout,
  own: OwnFile,
  onUnreadable: (error: LonghandError) => void = () => undefined,
): Promise<string | undefined> {
  const stat = await files.stat(own.path);
  for (const other of await sessionFiles(files, layout)) {
    if (other.path === own.path) continue;
    if (!(await idsOf(files, other, onUnreadable)).has(own.id)) continue;
    const there = await files.stat(other.path);
    if (there !== undefined && !isSameFile(there, stat)) return other.path;
  }
  return undefined;
}

async function checkNamedRight(files: FileSystem, { key, id, path }: OwnFile): Promise<void> {
  const header = await readHeader(files, path);
  if (header === undefined || (header.id === id && header.key === key)) return;
  const message = `${path} holds the session ${header.id} of the key ${JSON.stringify(header.key)}, not what its name says; nothing was changed. Move it out of the store`;
  throw new LonghandError("SESSION_DAMAGED", message, { file: path, key, id, idInFile: header.id });
}

async function checkOther(files: FileSystem, own: OwnFile, other: SessionFile): Promise<void> {
  if (other.path === own.path) return;
  const ids = await idsOf(files, other, () => undefined);
  const stat = await files.stat(other.path);
  if (stat === undefined || !ids.has(own.id)) return;
  // Two names of one file: a power cut may leave a move half done.
  if (isSameFile(stat, await files.stat(own.path))) return;
  throw secondFile(own, other.path);
}

/** Nothing is renamed over a file that is there. */
export async function checkNameFree(files: FileSystem, from: string, to: string): Promise<void> {
  const there = await files.stat(to);
  if (there === undefined || isSameFile(there, await files.stat(from))) return;
  const message = `${to} is in the way of ${from}; nothing was changed. Compare the two and move one out of the store`;
  throw new LonghandError("SESSION_DAMAGED", message, { file: from, other: to });
}

function secondFile({ key, id, path }: OwnFile, other: string): LonghandError {
  const message = `${path} and ${other} have the same session id (${id}); nothing was changed. Compare the two and move one out of the store`;
  return new LonghandError("SESSION_DAMAGED", message, { file: path, other, key, id });
}
