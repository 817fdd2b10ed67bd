/**
 * No symbolic link inside a store is followed: a directory below the store that is a link would let us list, write or
 * remove the files of another session, or files outside of the store. Before a path is used, each directory on the way
 * from the store's own directory to it must be a real one; the last name is checked by the host, which opens no link.
 *
 * The check comes right before the call. It protects against a link that is there, not against a program that exchanges
 * a directory for a link between the two: the store belongs to one user (host/check-safe-directory.ts).
 */

import { LonghandError } from "../../errors.ts";
import type { FileStat, FileSystem, Host, OpenFile, OpenMode } from "../../host/host.ts";
import { withFiles } from "../../host/with-files.ts";
import type { Layout } from "../../format/layout.ts";
import { segmentDirectory } from "../../session/segment-path.ts";
import type { Id } from "../../format/session-id.ts";

/** `checked`: directories that were found to be real ones when the store was opened. */
export function linklessHost(host: Host, layout: Layout, checked: readonly string[] = []): Host {
  return withFiles(host, linklessFiles(host.files, layout, new Set(checked)));
}

function linklessFiles(files: FileSystem, layout: Layout, checked: ReadonlySet<string>): FileSystem {
  const start = layout.directory.length + 1;
  /** The directories above the path that are not known to be real ones. */
  const above = (path: string): string[] => {
    const found: string[] = [];
    if (!path.startsWith(`${layout.directory}/`)) return found;
    for (let slash = path.indexOf("/", start); slash !== -1; slash = path.indexOf("/", slash + 1))
      if (!checked.has(path.slice(0, slash))) found.push(path.slice(0, slash));
    return found;
  };
  const check = async (path: string): Promise<void> => {
    for (const directory of above(path)) await checkNoLink(files, directory);
  };
  const openBelow = async (unknown: readonly string[], path: string, mode: OpenMode): Promise<OpenFile> => {
    for (const directory of unknown) await checkNoLink(files, directory);
    return await files.open(path, mode);
  };
  const statBelow = async (unknown: readonly string[], path: string): Promise<FileStat | undefined> => {
    for (const directory of unknown) if (await isLink(files, directory)) return undefined;
    return await files.stat(path);
  };
  /** And the path itself. */
  const checkDirectory = async (path: string): Promise<void> => {
    await check(`${path}/`);
  };
  return {
    // Without a promise where there is nothing to check: a listing does it for every session.
    open: (path, mode) => {
      const unknown = above(path);
      return unknown.length === 0 ? files.open(path, mode) : openBelow(unknown, path, mode);
    },
    makeDirectory: async (path) => {
      await check(path);
      await files.makeDirectory(path);
    },
    readDirectory: async (path) => {
      await checkDirectory(path);
      return await files.readDirectory(path);
    },
    syncDirectory: async (path) => {
      await checkDirectory(path);
      await files.syncDirectory(path);
    },
    rename: async (from, to) => {
      await check(from);
      await check(to);
      await files.rename(from, to);
    },
    link: async (from, to) => {
      await check(from);
      await check(to);
      await files.link(from, to);
    },
    unlink: async (path) => {
      await check(path);
      await files.unlink(path);
    },
    removeDirectory: async (path) => {
      await check(path);
      await files.removeDirectory(path);
    },
    // What lies behind a link is not in the store.
    stat: (path) => {
      const unknown = above(path);
      return unknown.length === 0 ? files.stat(path) : statBelow(unknown, path);
    },
    resolve: (path) => files.resolve(path),
    checkWritable: async (path) => {
      await checkDirectory(path);
      await files.checkWritable(path);
    },
    typeAt: (path) => files.typeAt(path),
  };
}

/** A file in its place is refused by the call itself (ENOTDIR), as is nothing at all (ENOENT). */
async function isLink(files: FileSystem, directory: string): Promise<boolean> {
  return (await files.stat(directory))?.kind === "other";
}

async function checkNoLink(files: FileSystem, directory: string): Promise<void> {
  if (!(await isLink(files, directory))) return;
  const message = `${directory} is a link, or no directory: nothing behind it is read, written or removed; put the directory itself there`;
  throw new LonghandError("DIRECTORY_UNSAFE", message, { file: directory });
}

/** Before a session is removed for good: rejects while something may still be left as it is. */
export async function checkSegmentDirectory(files: FileSystem, layout: Layout, id: Id): Promise<void> {
  await checkNoLink(files, layout.segments);
  await checkNoLink(files, segmentDirectory(layout.segments, id));
}
