/**
 * Recognises `sessions/` and `memory/` that an older version of Longhand may have left in a workspace: a directory of the user's own,
 * closed to others, with the marks of a store. That is no proof: a clone under umask 077 has the same modes. So they are moved only after
 * the user has said yes, and no is the usual answer.
 */

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";
import { OLDER, type Older } from "./workspace-record.ts";

const OTHERS = 0o077;

export function findOlder(workspace: string): readonly Older[] {
  return OLDER.filter((name) => isOlder(workspace, name));
}

function isOlder(workspace: string, name: Older): boolean {
  const directory = join(workspace, name);
  const store = name === "sessions" ? directory : join(directory, "store");
  return [directory, store, join(store, ".longhand")].every(isPrivateDirectory);
}

function isPrivateDirectory(path: string): boolean {
  try {
    const found = lstatSync(path);
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    return found.isDirectory() && isOwn && (found.mode & OTHERS) === 0;
  } catch (error) {
    // Missing, below a file, or not ours to look at.
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return false;
    throw error;
  }
}
