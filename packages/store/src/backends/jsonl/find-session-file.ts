/** Finds a session's file by its id: where it was last seen, else by looking at every header. */

import type { FileSystem } from "../../host/host.ts";
import { readWholeFile } from "../../host/small-files.ts";
import { decodeHeader } from "../../record/decode.ts";
import type { Header } from "../../record/encode.ts";
import { NEWLINE } from "../../record/format.ts";
import { SESSION_SUFFIX } from "../../record/key.ts";
import type { Layout } from "./layout.ts";

/** A key of 1,024 bytes, all of them escaped, fits. */
export const MAX_HEADER_BYTES: number = 16 * 1024;

export async function findSessionFile(
  files: FileSystem,
  layout: Layout,
  id: string,
  lastName: string,
): Promise<string | undefined> {
  const lastPath = `${layout.directory}/${lastName}`;
  if ((await readHeader(files, lastPath))?.id === id) return lastPath;
  for (const name of await sessionFileNames(files, layout)) {
    const path = `${layout.directory}/${name}`;
    if ((await readHeader(files, path))?.id === id) return path;
  }
  return undefined;
}

export async function sessionFileNames(files: FileSystem, { directory }: Layout): Promise<string[]> {
  const names = await files.readDirectory(directory);
  return names.filter((name) => name.endsWith(SESSION_SUFFIX) && !name.startsWith("."));
}

/** `undefined`: no readable header of a session. */
async function readHeader(files: FileSystem, path: string): Promise<Header | undefined> {
  // Looked at before it is opened: a directory or a device by such a name is nobody's session.
  if ((await files.stat(path))?.kind !== "file") return undefined;
  const bytes = await readWholeFile(files, path, MAX_HEADER_BYTES);
  return bytes === undefined ? undefined : headerIn(bytes);
}

export function headerIn(bytes: Buffer): Header | undefined {
  const newline = bytes.indexOf(NEWLINE);
  const decoded = newline === -1 ? undefined : decodeHeader(bytes.subarray(0, newline));
  return decoded?.kind === "header" ? decoded.header : undefined;
}
