/**
 * No symbolic link inside a store is followed: a directory below the store that is a link would let us list, write or
 * remove the files of another session, or files outside of the store. Before a path is used, each directory on the way
 * from the store's own directory to it must be a real one; the last name is checked by the host, which opens no link.
 *
 * The check comes right before the call. It protects against a link that is there, not against a program that exchanges
 * a directory for a link between the two: the store belongs to one user (host/check-safe-directory.ts).
 */

import { LonghandError } from "../../errors.ts";
import type { Awaitable, FileStat, FileSystem, Host, OpenFile, OpenMode } from "../../host/host.ts";
import { withFiles } from "../../host/with-files.ts";
import type { Layout } from "../../format/layout.ts";
import { segmentDirectory } from "../../session/segment-path.ts";
import type { Id } from "../../format/session-id.ts";

/** `checked`: directories that were found to be real ones when the store was opened. */
export function linklessHost(host: Host, layout: Layout, checked: readonly string[] = []): Host {
  return withFiles(host, new LinklessFiles(host.files, layout.directory, new Set(checked)));
}

class LinklessFiles implements FileSystem {
  readonly #files: FileSystem;
  /** Of the store. */
  readonly #directory: string;
  readonly #checked: ReadonlySet<string>;

  constructor(files: FileSystem, directory: string, checked: ReadonlySet<string>) {
    this.#files = files;
    this.#directory = directory;
    this.#checked = checked;
  }

  // Without a promise where there is nothing to check: a listing does it for every session.
  open(path: string, mode: OpenMode): Awaitable<OpenFile> {
    const unknown = this.#above(path);
    return unknown.length === 0 ? this.#files.open(path, mode) : this.#openBelow(unknown, path, mode);
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#check(path);
    await this.#files.makeDirectory(path);
  }

  async readDirectory(path: string): Promise<string[]> {
    await this.#checkDirectory(path);
    return await this.#files.readDirectory(path);
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#checkDirectory(path);
    await this.#files.syncDirectory(path);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#check(from);
    await this.#check(to);
    await this.#files.rename(from, to);
  }

  async link(from: string, to: string): Promise<void> {
    await this.#check(from);
    await this.#check(to);
    await this.#files.link(from, to);
  }

  async unlink(path: string): Promise<void> {
    await this.#check(path);
    await this.#files.unlink(path);
  }

  async removeDirectory(path: string): Promise<void> {
    await this.#check(path);
    await this.#files.removeDirectory(path);
  }

  // What lies behind a link is not in the store.
  stat(path: string): Awaitable<FileStat | undefined> {
    const unknown = this.#above(path);
    return unknown.length === 0 ? this.#files.stat(path) : this.#statBelow(unknown, path);
  }

  resolve(path: string): Awaitable<string> {
    return this.#files.resolve(path);
  }

  async checkWritable(path: string): Promise<void> {
    await this.#checkDirectory(path);
    await this.#files.checkWritable(path);
  }

  typeAt(path: string): Awaitable<string | undefined> {
    return this.#files.typeAt(path);
  }

  /** The directories above the path that are not known to be real ones. */
  #above(path: string): string[] {
    const found: string[] = [];
    if (!path.startsWith(`${this.#directory}/`)) return found;
    const start = this.#directory.length + 1;
    for (let slash = path.indexOf("/", start); slash !== -1; slash = path.indexOf("/", slash + 1))
      if (!this.#checked.has(path.slice(0, slash))) found.push(path.slice(0, slash));
    return found;
  }

  async #openBelow(unknown: readonly string[], path: string, mode: OpenMode): Promise<OpenFile> {
    for (const directory of unknown) await checkNoLink(this.#files, directory);
    return await this.#files.open(path, mode);
  }

  async #statBelow(unknown: readonly string[], path: string): Promise<FileStat | undefined> {
    for (const directory of unknown) if (await isLink(this.#files, directory)) return undefined;
    return await this.#files.stat(path);
  }

  async #check(path: string): Promise<void> {
    for (const directory of this.#above(path)) await checkNoLink(this.#files, directory);
  }

  /** And the path itself. */
  async #checkDirectory(path: string): Promise<void> {
    await this.#check(`${path}/`);
  }
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
