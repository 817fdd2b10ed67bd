/**
 * Absolute paths as lists of names. Without symbolic links, `..` can be resolved in the text; but as in a kernel, the
 * directory that it leaves must be there.
 */

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

/** The directories that a path enters and leaves again by `..`. */
export function leftAgain(path: string): readonly string[] {
  if (!path.includes("/..")) return [];
  const names = path.split("/");
  return names.flatMap((name, index) =>
    name === ".." ? [posix.normalize(names.slice(0, index).join("/"))] : [],
  );
}

function isNoName(name: string): boolean {
  return name === "" || name === "." || name === "..";
}

/** The path by which a file is called in what tests are told: a store changes names by a way through a directory of its own. */
export function plainPath(path: string): string {
  return path.includes("/..") ? posix.normalize(path) : path;
}

/** Also true of the directory itself. */
export function isInside(path: string, directory: string): boolean {
  return `${posix.normalize(path)}/`.startsWith(`${posix.normalize(directory)}/`);
}
