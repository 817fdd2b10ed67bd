/** Every store of a home: the sessions and the memory of all its workspaces and agents. Found by directory, so that a copy works too. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";
import { DEFAULT_WORKSPACE, WORKSPACES } from "../config/workspace-state.ts";

/** The memory is kept in a store of its own. */
const STORES = ["sessions", join("memory", "store")];

export async function findStores(home: string): Promise<readonly string[]> {
  const states = await readdir(join(home, WORKSPACES)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  // An older version kept them in the default workspace itself.
  const owners = [home, join(home, DEFAULT_WORKSPACE)];
  owners.push(...states.sort().map((name) => join(home, WORKSPACES, name)));
  const found: string[] = [];
  for (const path of owners.flatMap((owner) => STORES.map((store) => join(owner, store)))) {
    const facts = await stat(path).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (facts?.isDirectory() === true) found.push(path);
  }
  return found;
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
