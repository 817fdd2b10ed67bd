/** Where session files lie: active, archived, trashed; and how one is found by its id, wherever it went. */

import type { LonghandError } from "../../errors.ts";
import type { FileSystem, OpenFile } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { namesIn } from "../../host/names-in.ts";
import { useFile } from "../../host/use-file.ts";
import { patchedSource } from "../../session/byte-source.ts";
import { readHeaderLine } from "../../session/header-line.ts";
import { decodeHeader, type Header } from "../../format/header.ts";
import { fileNameOf, SESSION_SUFFIX, type FileName } from "../../format/key.ts";
import { isId, type Id } from "../../format/session-id.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import { leaseNameOf, leaseNameOfFile, putAwayName, type Layout } from "../../format/layout.ts";
import { SettledLook } from "./move-marks.ts";

/**
 * `lastName` is what its active file was called, and what the key in its header leads to: a file with this id and another key is not this
 * session's. A file that cannot be read is passed over; only if the session is in none
 * of the others it may be that one, and then this rejects, naming it: nobody may take the session for gone.
 */
export async function findSessionFile(
  files: FileSystem,
  layout: Layout,
  id: Id,
  lastName: FileName,
): Promise<FoundSessionFile | undefined> {
  const active = activeFile(layout, lastName);
  const likely = [
    active,
    ...PUT_AWAY.map((status) => putAwayFile(layout, status, putAwayName(lastName, id))),
    active,
  ];
  const unreadable: LonghandError[] = [];
  const findAmong = async (among: readonly SessionFile[]): Promise<FoundSessionFile | undefined> => {
    for (const file of among) {
      const header = await tryReadHeader(files, file.path, (error) => unreadable.push(error));
      if (header?.id === id && fileNameOf(header.key) === lastName) return { ...file, header };
    }
    return undefined;
  };
  let found = await findAmong([active]);
  const look = new SettledLook(files, layout, leaseNameOfFile(lastName));
  while (found === undefined && (await look.isNeeded())) found = await findAmong(likely);
  found ??= await findAmong(await sessionFiles(files, layout));
  if (found === undefined && unreadable[0] !== undefined) throw unreadable[0];
  return found;
}

export interface SessionFile {
  readonly path: string;
  readonly name: string;
  readonly status: SessionInfo["status"];
}

export interface FoundSessionFile extends SessionFile {
  readonly header: Header;
}

export type PutAwayStatus = Exclude<SessionInfo["status"], "active">;
export const PUT_AWAY: readonly PutAwayStatus[] = ["archived", "trashed"];

/**
 * The session files in each place, active ones first. One that is moved meanwhile may be missed, or be there twice: for
 * whoever holds its lease, or needs no more than most of them. `everySessionFile` misses none.
 */
export async function sessionFiles(files: FileSystem, layout: Layout): Promise<SessionFile[]> {
  return [...(await filesIn(files, layout, "active")), ...(await putAwayFiles(files, layout))];
}

/** Every archived and trashed one. */
export async function putAwayFiles(files: FileSystem, layout: Layout): Promise<SessionFile[]> {
  const found: SessionFile[] = [];
  for (const status of PUT_AWAY) found.push(...(await filesIn(files, layout, status)));
  return found;
}

/** In one place. */
export async function filesIn(
  files: FileSystem,
  layout: Layout,
  status: SessionInfo["status"],
): Promise<SessionFile[]> {
  if (status !== "active") {
    const names = await sessionNamesIn(files, putAwayDirectory(layout, status));
    return names.map((name) => putAwayFile(layout, status, name));
  }
  return (await sessionNamesIn(files, layout.directory)).map((name) => activeFile(layout, name));
}

/** The archived, or trashed, sessions of one key. */
export async function putAwayFilesOf(
  files: FileSystem,
  layout: Layout,
  status: PutAwayStatus,
  key: string,
): Promise<SessionFile[]> {
  return await putAwayFilesNamed(files, layout, status, leaseNameOf(key));
}

/** The same by the name of the key's lease. */
export async function putAwayFilesNamed(
  files: FileSystem,
  layout: Layout,
  status: PutAwayStatus,
  start: string,
): Promise<SessionFile[]> {
  return (await filesIn(files, layout, status)).filter(
    ({ name }) => name.startsWith(`${start}.`) && isId(name.slice(start.length + 1, -SESSION_SUFFIX.length)),
  );
}

export function putAwayDirectory(layout: Layout, status: PutAwayStatus): string {
  return status === "archived" ? layout.archive : layout.trash;
}

export function activeFile(layout: Layout, name: string): SessionFile {
  return { path: `${layout.directory}/${name}`, name, status: "active" };
}

function putAwayFile(layout: Layout, status: PutAwayStatus, name: string): SessionFile {
  return { path: `${putAwayDirectory(layout, status)}/${name}`, name, status };
}

async function sessionNamesIn(files: FileSystem, directory: string): Promise<string[]> {
  try {
    const names = await namesIn(files, directory);
    return names.filter((name) => name.endsWith(SESSION_SUFFIX) && !name.startsWith("."));
  } catch (error) {
    throw ioError(error, "listing sessions", directory);
  }
}

/** `undefined`: no readable header of a session. */
export async function readHeader(files: FileSystem, path: string): Promise<Header | undefined> {
  // Looked at before it is opened: a directory or a device by such a name is nobody's session.
  if ((await files.stat(path))?.kind !== "file") return undefined;
  try {
    return await useFile(await files.open(path, "read"), peekHeader);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The same, where the others go on if this one cannot be read. */
export async function tryReadHeader(
  files: FileSystem,
  path: string,
  onUnreadable: (error: LonghandError) => void,
): Promise<Header | undefined> {
  try {
    return await readHeader(files, path);
  } catch (error) {
    onUnreadable(ioError(error, "reading the session", path));
    return undefined;
  }
}

export async function peekHeader(file: OpenFile): Promise<Header | undefined> {
  const { content } = await readHeaderLine(patchedSource(file, (await file.stat()).size, []));
  const decoded = decodeHeader(content);
  return decoded.kind === "header" ? decoded.header : undefined;
}
