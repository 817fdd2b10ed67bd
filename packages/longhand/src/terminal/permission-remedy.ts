/** What lets this user read and write a file or directory of a store again. It depends on whose it is, so that is looked at. */

import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { shellQuote } from "./shell-quote.ts";

/** `user`: who runs this, by number; `undefined`: the system has no such numbers. */
export function permissionRemedy(path: string, user: number | undefined = process.geteuid?.()): string {
  const { closed, stats } = findClosed(path);
  const quoted = shellQuote(closed);
  const [bits, mode] = stats.isDirectory() ? [0o700, "u+rwx"] : [0o600, "u+rw"];
  if (user !== undefined && stats.uid !== user)
    return `it belongs to user ${stats.uid}: run longhand as that user, or make it yours: sudo chown "$(id -u)" ${quoted} && chmod ${mode} ${quoted}`;
  if ((stats.mode & bits) === bits)
    return `it is yours, and its mode lets you read and write it: look for an access list, an immutable flag or a read-only mount: ls -ld ${quoted}`;
  return `let yourself read and write it: chmod ${mode} ${quoted}`;
}

/** The path, or the directory above it in which this user may not make it or look at it. */
function findClosed(path: string): { readonly closed: string; readonly stats: Stats } {
  const above = dirname(path);
  try {
    return { closed: path, stats: statSync(path) };
  } catch (error) {
    if (above === path) throw error;
    return findClosed(above);
  }
}
