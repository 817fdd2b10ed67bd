/** The path without links, for a path that need not exist: what does not exist yet is appended as it is. */

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../error-code.ts";

export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    if ((code !== "ENOENT" && code !== "ENOTDIR") || dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}
