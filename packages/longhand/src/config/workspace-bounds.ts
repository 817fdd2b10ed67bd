/** The directories that a workspace must not be or contain, without links in their paths. */

import { realPath } from "./real-path.ts";
import type { WorkspaceBounds } from "./unsafe-workspace.ts";

export function workspaceBounds(home: string, userHomes: readonly string[]): WorkspaceBounds {
  return { home: realPath(home), userHomes: [...new Set([...userHomes, ...userHomes.map(realPath)])] };
}
