/** The directories in the home that hold the state of a workspace, apart from the default one. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";
import { WORKSPACES } from "./workspace-state.ts";

export async function workspaceStates(home: string): Promise<readonly string[]> {
  const directory = join(home, WORKSPACES);
  try {
    return (await readdir(directory)).sort().map((name) => join(directory, name));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
