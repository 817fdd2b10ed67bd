/** Absolute paths as lists of names. Without symbolic links, `..` can be resolved in the text. */

import { posix } from "node:path";
import { systemError } from "./system-error.ts";

/** A simulation uses the same few paths again and again: what they consist of is remembered. */
const REMEMBERED = 10_000;
const remembered = new Map<string, readonly string[]>();

/** From the root down; empty for the root itself. */
export function pathNames(path: string, syscall: string): readonly string[] {
  const known = remembered.get(path);
  if (known !== undefined) return known;
  if (!path.startsWith("/")) throw systemError("EINVAL", syscall, path);
  const names = path.slice(1).split("/");
  const clean = names.some(isNoName) ? posix.normalize(path).split("/").filter(Boolean) : names;
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(path, clean);
  return clean;
}

function isNoName(name: string): boolean {
  return name === "" || name === "." || name === "..";
}

/** Also true of the directory itself. */
export function isInside(path: string, directory: string): boolean {
  return `${posix.normalize(path)}/`.startsWith(`${posix.normalize(directory)}/`);
}
