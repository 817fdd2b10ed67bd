/** What the file tools say where they may not, or cannot: a refusal tells the model what is allowed. */

import type { Stats } from "node:fs";
import { AgentError } from "../errors.ts";

export function refused(path: string, reason: string): AgentError {
  return new AgentError(
    "TOOL_REFUSED",
    `refused: ${JSON.stringify(path)} ${reason}. Allowed are files in the workspace that are not protected; give a path relative to the workspace.`,
    { path, reason },
  );
}

export function failed(message: string, detail: Record<string, unknown> = {}, cause?: unknown): AgentError {
  return new AgentError("TOOL_FAILED", message, detail, cause);
}

/** Links and special files are refused, and files with several names: why is said in path-guard.ts. */
export function checkRegular(stats: Stats, name: string): void {
  if (stats.isSymbolicLink()) throw refused(name, "is a symbolic link; name what it leads to");
  if (!stats.isFile()) throw refused(name, "is no regular file");
  if (stats.nlink > 1)
    throw refused(
      name,
      `has ${stats.nlink} names (hard links), and another one may be outside of the workspace; a copy of it is allowed`,
    );
}
