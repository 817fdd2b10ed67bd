/** What lets this user read and write a file or directory of a store again. It depends on whose it is, so that is looked at. */

import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../error-code.ts";
import { shellQuote } from "../terminal/shell-quote.ts";

/** `user`: who runs this, by number; `undefined`: the system has no such numbers. */
export function permissionRemedy(path: string, user: number | undefined = process.geteuid?.()): string {
  const { closed, stats } = findClosed(path);
  const quoted = shellQuote(closed);
  if (stats === undefined) return `look whose it is, and who may read it: ls -ld ${quoted}`;
  const [bits, mode] = stats.isDirectory() ? [0o700, "u+rwx"] : [0o600, "u+rw"];
  if (user !== undefined && stats.uid !== user)
    return `it belongs to user ${stats.uid}: run longhand as that user, or make it yours: sudo chown "$(id -u)" ${quoted} && chmod ${mode} ${quoted}`;
  if ((stats.mode & bits) === bits)
    return `it is yours, and its mode lets you read and write it: look for an access list, an immutable flag or a read-only mount: ls -ld ${quoted}`;
  return `let yourself read and write it: chmod ${mode} ${quoted}`;
}

/** The path, or the directory above it that does not let this user look at it. */
function findClosed(path: string): { readonly closed: string; readonly stats: Stats | undefined } {
  try {
    return { closed: path, stats: statSync(path, { throwIfNoEntry: false }) };
  } catch (error) {
    const above = dirname(path);
    if (above === path || errorCode(error) !== "EACCES") return { closed: path, stats: undefined };
    return findClosed(above);
  }
}
