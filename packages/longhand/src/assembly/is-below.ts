/** Whether a path lies in a directory; the directory itself does not. Pure. */

import { relative, sep } from "node:path";

export function isBelow(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`);
}
