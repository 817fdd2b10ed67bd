/** Where the state of a workspace (its record, sessions and memory) is: always in the home, never in the workspace. Pure. */

import { basename, join } from "node:path";

export const DEFAULT_WORKSPACE = "workspace";
export const WORKSPACES = "workspaces";

const LONGEST_NAME = 40;
const HASH_LENGTH = 16;

/** `realPath` has no links in it, so that a directory has one state, whatever path it was reached by. */
export function workspaceState(home: string, realPath: string): string {
  // Loaded by its first use: it takes some milliseconds, and help does not need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(realPath).digest("hex").slice(0, HASH_LENGTH);
  return join(home, WORKSPACES, `${slug(basename(realPath))}~${hash}`);
}

function slug(name: string): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, "_")
    .replace(/^[.]+/, "")
    .slice(0, LONGEST_NAME);
  return plain === "" ? "directory" : plain;
}
