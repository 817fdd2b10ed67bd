/** The path without links, for a path that need not exist: what does not exist yet is appended as it is. */

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if ((code !== "ENOENT" && code !== "ENOTDIR") || dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}
