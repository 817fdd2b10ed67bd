/**
 * The way of every file tool to the disk. Promised: what it opens lies in the workspace and is not protected, whatever the path says
 * and whatever is swapped meanwhile. A path is resolved, the real parent compared with the root and the separator, the directory
 * opened, and the open descriptor asked where it is; the file is opened beside that descriptor without following a link, and
 * asked again. Nothing is ever opened by a path that was checked earlier.
 *
 * Files with several names (hard links) are refused, for writing and for reading: the other name may be outside, and neither its
 * path nor its descriptor would tell. What is refused is an AgentError TOOL_REFUSED that says what is allowed.
 */

import { constants, type Stats } from "node:fs";
import { mkdir, open, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { AgentError } from "../errors.ts";
import { errorCode } from "./error-code.ts";
import { directoryBase, openedPath } from "./opened-path.ts";
import { checkRegular, failed, refused } from "./path-errors.ts";
import { isWithin, ownStores, protectionOf, realPaths } from "./protected-paths.ts";

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** As it is shown: relative to the workspace. */
  readonly name: string;
}

/** A directory that is open, and a name in it that may or may not exist. */
export interface Place {
  readonly directory: FileHandle;
  /** Leads to the open directory; `join(base, …)` is the only way to touch something in it. */
  readonly base: string;
  /** "" for the directory itself. */
  readonly fileName: string;
  /** As it is shown: relative to the workspace. */
  readonly name: string;
}

interface OpenDirectory {
  readonly directory: FileHandle;
  readonly base: string;
  /** Where it is, by its descriptor. */
  readonly real: string;
}

type Purpose = "read" | "write";

export class PathGuard {
  readonly #workspace: string;
  readonly #hiddenPaths: readonly string[];

  /** `hiddenPaths`: besides what is always protected, absolute or relative to the workspace; neither read nor written. */
  constructor(workspace: string, hiddenPaths: readonly string[] = []) {
    this.#workspace = resolve(workspace);
    this.#hiddenPaths = hiddenPaths;
    const around = hiddenPaths.find((path) => isWithin(this.#workspace, resolve(this.#workspace, path)));
    if (around !== undefined)
      throw new AgentError(
        "OPTION_INVALID",
        `the protected path ${around} contains the workspace ${this.#workspace}`,
        { path: around },
      );
  }

  /** For reading; the caller closes the handle. Regular files only: a FIFO would hang, a device never end. */
  async openFile(path: string): Promise<OpenedFile> {
    const place = await this.openPlace(path, "read");
    try {
      return await this.openIn(place, path);
    } finally {
      await place.directory.close();
    }
  }

  /** The file of a place, for reading. TOOL_FAILED with `detail.missing`: there is none. */
  async openIn(place: Place, path: string): Promise<OpenedFile> {
    const handle = await openFileIn(place, path);
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw failed(`${place.name} is a directory; list it with list_dir`);
      checkRegular(stats, place.name);
      const root = await realpath(this.#workspace);
      const directory = await openedPath(place.directory, dirname(resolve(root, place.name)));
      const opened = await openedPath(handle, resolve(root, place.name));
      // A name that was taken away between opening and asking could have been the inner one of two.
      if (directory === undefined || opened !== join(directory, place.fileName))
        throw failed(`${place.name} was replaced or moved while it was opened; try again`);
      await this.#check(opened, root, "read", path);
      return { handle, stats, name: place.name };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** For listing; the caller closes the handle. */
  async openDirectory(path: string): Promise<Place> {
    const { root, absolute } = await this.#resolve(path);
    const real = await realDirectory(absolute, path);
    const { directory, base } = await this.#openAt(real, root, "read", path);
    return { directory, base, fileName: "", name: relative(root, real) || "." };
  }

  /** With `makeDirectories` the ones that are missing on the way are made. The caller closes the handle. */
  async openPlace(
    path: string,
    purpose: Purpose,
    options: { makeDirectories?: boolean } = {},
  ): Promise<Place> {
    const { root, absolute } = await this.#resolve(path);
    if (absolute === root) throw failed(`${path} is the workspace itself, not a file; list it with list_dir`);
    const fileName = basename(absolute);
    const missing: string[] = [];
    let directory = dirname(absolute);
    let real = await tryRealpath(directory);
    while (real === undefined && options.makeDirectories === true && isWithin(dirname(directory), root)) {
      missing.unshift(basename(directory));
      directory = dirname(directory);
      real = await tryRealpath(directory);
    }
    if (real === undefined)
      throw failed(`${path} does not exist: there is no directory ${dirname(path)}`, { missing: true });
    // Before anything is made: nothing is left behind by a call that is refused.
    await this.#check(join(real, ...missing, fileName), root, purpose, path);
    let found = await this.#openAt(real, root, purpose, path);
    for (const name of missing) found = await this.#enter(found, name, root, path);
    try {
      // Again, now that nothing can be swapped any more.
      await this.#check(join(found.real, fileName), root, purpose, path);
    } catch (error) {
      await found.directory.close();
      throw error;
    }
    const { directory: handle, base } = found;
    return { directory: handle, base, fileName, name: relative(root, join(found.real, fileName)) };
  }

  async #resolve(path: string): Promise<{ root: string; absolute: string }> {
    if (path === "" || path.includes("\0")) throw refused(path, "is no path");
    const root = await realpath(this.#workspace);
    const given = resolve(root, path);
    // The workspace itself may be reached through a link (/tmp on macOS); its name as given is as good as the real one.
    const absolute =
      isAbsolute(path) && isWithin(given, this.#workspace)
        ? resolve(root, relative(this.#workspace, given))
        : given;
    if (!isWithin(absolute, root)) throw refused(path, "is outside of the workspace");
    return { root, absolute };
  }

  async #check(real: string, root: string, purpose: Purpose, path: string): Promise<void> {
    if (!isWithin(real, root)) throw refused(path, "leads out of the workspace through a link");
    const protection = protectionOf(real, root, await this.#hiddenIn(root));
    if (protection === undefined || (purpose === "read" && protection.access === "read-only")) return;
    const allowed = protection.access === "hidden" ? "neither read nor write" : "read but not write";
    throw refused(path, `belongs to ${protection.name}, which tools may ${allowed}`);
  }

  async #hiddenIn(root: string): Promise<readonly string[]> {
    return await realPaths([...this.#hiddenPaths, ...(await ownStores(root))], root);
  }

  async #openAt(real: string, root: string, purpose: Purpose, path: string): Promise<OpenDirectory> {
    if (!isWithin(real, root)) throw refused(path, "leads out of the workspace through a link");
    const directory = await openDirectoryHandle(real, path);
    try {
      const opened = await openedPath(directory, real);
      if (opened === undefined) throw failed(`${path} was replaced while it was opened; try again`);
      await this.#check(opened, root, purpose, path);
      return { directory, base: directoryBase(directory, real), real: opened };
    } catch (error) {
      await directory.close();
      throw error;
    }
  }

  /** Makes a directory in an open one and opens it; the outer one is closed. */
  async #enter(outer: OpenDirectory, name: string, root: string, path: string): Promise<OpenDirectory> {
    try {
      const inner = join(outer.base, name);
      await mkdir(inner).catch((error: unknown) => {
        if (errorCode(error) !== "EEXIST") throw error;
      });
      const directory = await openDirectoryHandle(inner, path);
      try {
        const opened = await openedPath(directory, inner);
        if (opened === undefined || !isWithin(opened, root))
          throw refused(path, "leads out of the workspace");
        return { directory, base: directoryBase(directory, opened), real: opened };
      } catch (error) {
        await directory.close();
        throw error;
      }
    } finally {
      await outer.directory.close();
    }
  }
}

async function openFileIn(place: Place, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return await open(join(place.base, place.fileName), flags);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw failed(`${place.name} does not exist`, { missing: true });
    if (code === "ELOOP") throw refused(path, "is a symbolic link; name what it leads to");
    if (code === "ENXIO") throw refused(path, "is no regular file");
    throw failed(`${place.name} cannot be opened: ${code ?? String(error)}`, {}, error);
  }
}

async function openDirectoryHandle(real: string, path: string): Promise<FileHandle> {
  try {
    return await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === "ELOOP") throw refused(path, "leads through a link that is in the way");
    throw failed(`${path} cannot be opened: ${errorCode(error) ?? String(error)}`, {}, error);
  }
}

async function realDirectory(absolute: string, path: string): Promise<string> {
  const real = await tryRealpath(absolute);
  if (real === undefined) throw failed(`${path} does not exist`, { missing: true });
  return real;
}

async function tryRealpath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw failed(`${path} cannot be reached: ${errorCode(error) ?? String(error)}`, {}, error);
  }
}
