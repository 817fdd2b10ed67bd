/** Absolute paths as lists of names. Without symbolic links, `..` can be resolved in the text. */

import { posix } from "node:path";
import { systemError } from "./system-error.ts";

/** From the root down; empty for the root itself. */
export function pathNames(path: string, syscall: string): string[] {
  if (!path.startsWith("/")) throw systemError("EINVAL", syscall, path);
  const names = path.slice(1).split("/");
  return names.some(isNoName) ? posix.normalize(path).split("/").filter(Boolean) : names;
}

function isNoName(name: string): boolean {
  return name === "" || name === "." || name === "..";
}

/** Also true of the directory itself. */
export function isInside(path: string, directory: string): boolean {
  return `${posix.normalize(path)}/`.startsWith(`${posix.normalize(directory)}/`);
}
