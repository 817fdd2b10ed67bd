/**
 * Longhand's own directory where it lies in a workspace. Who can write its configuration decides where keys are sent, and who can
 * write its skills what the agent is told: it is no place for tools.
 */

import { mkdir, realpath } from "node:fs/promises";
import { errorCode } from "../error-code.ts";
import { isBelow } from "./is-below.ts";

/**
 * What tools may then neither read nor write; made if it is missing, since what does not exist cannot be hidden from a command. None
 * if the home is elsewhere, or is the workspace itself or around it: of a workspace the tools protect what is Longhand's.
 */
export async function homeInWorkspace(home: string, workspace: string): Promise<readonly string[]> {
  const roots = [workspace, await realpath(workspace)];
  const isInside = (path: string): boolean => roots.some((root) => isBelow(path, root));
  if (isInside(home)) await mkdir(home, { recursive: true, mode: 0o700 });
  return isInside(home) || isInside(await realpathIfThere(home)) ? [home] : [];
}

async function realpathIfThere(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return path;
    throw error;
  }
}
