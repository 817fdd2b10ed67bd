/**
 * What in a workspace tools may not write: the configuration, the skills, what Git runs by itself, and conversations and memory where they
 * are kept there. A tool that could write there could change what the agent is told, or have the user run something.
 */

import { lstat, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { errorCode } from "./error-code.ts";

export interface ProtectedEntry {
  readonly name: string;
  /** "read-only": tools may read it. "hidden": they may not. */
  readonly access: "read-only" | "hidden";
}

/** Directly in the workspace. `.git` is protected in every directory of it, for the file tools. */
export const PROTECTED_ENTRIES: readonly ProtectedEntry[] = [
  { name: ".git", access: "read-only" },
  { name: "skills", access: "read-only" },
  { name: "longhand.json", access: "read-only" },
  { name: ".longhand", access: "hidden" },
];

/** Conversations and memory that are kept in the workspace itself: by the mark of a store, since a project may use these names too. */
const OWN_STORES = [
  { name: "sessions", mark: "sessions/.longhand" },
  { name: "memory", mark: "memory/store/.longhand" },
];

/** Those of the workspace `root` that exist; to be hidden. */
export async function ownStores(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, mark } of OWN_STORES) if (await isThere(join(root, mark))) found.push(join(root, name));
  return found;
}

export interface Protection {
  readonly access: "read-only" | "hidden";
  /** What it is protected by, as it is named to the model. */
  readonly name: string;
}

/**
 * Of a real path in the real `root`; `undefined`: it is not protected. Names are compared without regard to case, as some file
 * systems do: `Sessions` is refused everywhere, which costs less than finding out too late. `hiddenPaths` are real paths.
 */
export function protectionOf(
  path: string,
  root: string,
  hiddenPaths: readonly string[],
): Protection | undefined {
  const hidden = hiddenPaths.find((one) => isWithin(fold(path), fold(one)));
  if (hidden !== undefined) return { access: "hidden", name: relative(root, hidden) };
  const parts = relative(root, path).split(sep).map(fold);
  const entry = PROTECTED_ENTRIES.find(({ name }) => name === parts[0]);
  if (entry !== undefined) return entry;
  return parts.includes(".git") ? { access: "read-only", name: ".git" } : undefined;
}

/** `path` is `directory` or lies in it. Compared with the separator: `ws-evil` is not in `ws`. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** As they are and as they really are, for those that exist: a link to a protected place does not open it. */
export async function realPaths(paths: readonly string[], root: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const absolute = resolve(root, path);
    found.add(absolute);
    try {
      found.add(await realpath(absolute));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
  return [...found];
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
