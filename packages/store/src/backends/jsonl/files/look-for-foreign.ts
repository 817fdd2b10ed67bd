/**
 * The files in a store's directory that resemble sessions of another program. Changes nothing, and reads the first bytes of a
 * bounded number of files, so that an opening costs the same beside a large foreign file and among many files.
 */

import type { FileSystem } from "../../../host/host.ts";
import { errorCode } from "../../../host/io-error.ts";
import { namesIn } from "../../../host/names-in.ts";
import {
  ARCHIVED_SUFFIX,
  isSurelyOurs,
  LINES_SUFFIX,
  META_SUFFIX,
  sortForeignNames,
} from "../../../migrate/foreign-names.ts";
import { looksLikeSession, START_BYTES } from "../../../migrate/looks-like-session.ts";
import { readStart } from "../../../migrate/read-source.ts";
import { hasOurLine } from "../../../record/our-line.ts";
import { isForeignFile } from "./foreign-file.ts";
import type { Layout } from "./layout.ts";

/** Names that only other programs use come first: of plain `.jsonl` names most are sessions of this store. */
const MAX_LOOKS = 48;

/** Paths. */
export interface ForeignFiles {
  /** They look like another program's sessions. */
  readonly similar: readonly string[];
  /** They have the suffix of a session and are neither this store's nor like any other's. */
  readonly other: readonly string[];
}

/** `maxLooks`: how many files are opened. */
export async function lookForForeign(
  files: FileSystem,
  layout: Layout,
  maxLooks: number = MAX_LOOKS,
): Promise<ForeignFiles> {
  const { directory } = layout;
  if ((await files.stat(directory))?.kind === "file") return { similar: [], other: [] };
  const { documents, metas, archived, lines } = sortForeignNames(await namesIn(files, directory));
  const candidates = [
    ...documents,
    ...[...metas].map((stem) => stem + META_SUFFIX),
    ...[...archived].map((stem) => stem + ARCHIVED_SUFFIX),
    ...[...lines].filter((stem) => !isSurelyOurs(stem)).map((stem) => stem + LINES_SUFFIX),
  ];
  const similar: string[] = [];
  const other: string[] = [];
  for (const name of candidates.slice(0, maxLooks)) {
    const path = `${directory}/${name}`;
    const start = await startOf(files, path);
    const isSessionName = name.endsWith(LINES_SUFFIX);
    if (start === undefined || (isSessionName && hasOurLine(start))) continue;
    if (looksLikeSession(name, start)) similar.push(path);
    else if (isSessionName && (await isForeignFile({ files, layout }, { path, name, status: "active" })))
      other.push(path);
  }
  return { similar, other };
}

/** `undefined`: it cannot be read, is no regular file, or is gone; then it is not mentioned. */
async function startOf(files: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return await readStart(files, path, START_BYTES);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
