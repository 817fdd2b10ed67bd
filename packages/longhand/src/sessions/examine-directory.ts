/** Looks at a store's directory for `longhand doctor`: whose it is, who may do what in it. Opens nothing, never fails. */

import { access, constants, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../error-code.ts";

export interface DirectoryFacts {
  readonly exists: boolean;
  readonly isDirectory: boolean;
  /** Such as "0700". */
  readonly mode: string;
  readonly owner: number;
  readonly isOwn: boolean;
  /** Session files that others than the owner may read or write. */
  readonly openFiles: readonly string[];
  /** What this user may not write to: the directory, its session files, or where it would have to be made. */
  readonly notWritable: readonly string[];
  /** Why it cannot be looked at. */
  readonly failure?: { readonly reason: string; readonly errno: string };
}

export interface ExaminedDirectory extends DirectoryFacts {
  /** Paths of files that look like another program's sessions. */
  readonly foreign: readonly string[];
}

const NOTHING: ExaminedDirectory = {
  exists: false,
  isDirectory: false,
  mode: "",
  owner: -1,
  isOwn: false,
  openFiles: [],
  notWritable: [],
  foreign: [],
};
const OTHERS = 0o077;
const { W_OK, X_OK } = constants;

export async function examineDirectory(directory: string): Promise<ExaminedDirectory> {
  try {
    const found = await stat(directory);
    const facts: ExaminedDirectory = {
      ...NOTHING,
      exists: true,
      isDirectory: found.isDirectory(),
      mode: (found.mode & 0o7777).toString(8).padStart(4, "0"),
      owner: found.uid,
      isOwn: process.getuid === undefined || found.uid === process.getuid(),
    };
    if (!facts.isDirectory) return facts;
    const notWritable = (await may(directory, W_OK | X_OK)) ? [] : [directory];
    try {
      const files = await examineFiles(directory);
      return { ...facts, ...files, notWritable: [...notWritable, ...files.notWritable] };
    } catch (error) {
      return { ...facts, notWritable, failure: failureOf(error) };
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") return { ...NOTHING, exists: true, failure: failureOf(error) };
    const parent = await nearestParent(directory);
    return { ...NOTHING, notWritable: (await may(parent, W_OK | X_OK)) ? [] : [parent] };
  }
}

type ExaminedFiles = Pick<ExaminedDirectory, "openFiles" | "notWritable" | "foreign">;

async function examineFiles(directory: string): Promise<ExaminedFiles> {
  const { findForeign } = await import("@longhand/store");
  const { similar, other } = await findForeign(directory);
  const foreign = new Set([...similar, ...other]);
  const openFiles: string[] = [];
  const notWritable: string[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(".jsonl")) continue;
    const path = join(directory, name);
    // Who may read another program's file is that program's affair.
    if (foreign.has(path)) continue;
    try {
      const found = await stat(path);
      // A directory by such a name is told of as a session that cannot be read.
      if (!found.isFile()) continue;
      if ((found.mode & OTHERS) !== 0) openFiles.push(name);
    } catch (error) {
      // Put away at this moment, or a link that leads nowhere: no file that others could read.
      if (errorCode(error) === "ENOENT") continue;
      throw error;
    }
    if (!(await may(path, W_OK))) notWritable.push(path);
  }
  return { openFiles, notWritable, foreign: similar };
}

async function nearestParent(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  try {
    await stat(parent);
    return parent;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? await nearestParent(parent) : parent;
  }
}

async function may(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}

function failureOf(error: unknown): { readonly reason: string; readonly errno: string } {
  const reason = error instanceof Error ? error.message : String(error);
  return { reason, errno: errnoIn(error) ?? errorCode(error) ?? "" };
}

/** The store's own errors have a code of theirs. */
function errnoIn(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("detail" in error)) return undefined;
  const { errno } = error.detail as { readonly errno?: unknown };
  return typeof errno === "string" ? errno : undefined;
}
