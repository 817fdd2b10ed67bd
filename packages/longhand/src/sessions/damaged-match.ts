/**
 * A session with a damaged header has no readable key. Its file is named after the key, so a part of the key can still be
 * recognised in the file name.
 */

import { basename } from "node:path";
import { CommandError } from "../command-error.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { LAST } from "./match-key.ts";
import type { UnreadableSession } from "./unreadable-session.ts";

/** What to throw instead of KEY_UNKNOWN. `undefined`: the error is another one, or no unreadable file is named like the key. */
export function damagedMatch(
  error: unknown,
  unreadable: readonly UnreadableSession[],
): CommandError | undefined {
  if (!(error instanceof CommandError) || error.code !== "KEY_UNKNOWN") return undefined;
  const { wanted } = error.detail;
  if (typeof wanted !== "string" || wanted === LAST) return undefined;
  const found = unreadable.filter(({ file }) => isNamedAfter(file, wanted));
  const [first, ...more] = found;
  if (first === undefined) return undefined;
  const others = more.map(({ file }) => escapeLine(file)).join(", ");
  const also = more.length === 0 ? "" : `; so is ${others}`;
  return new CommandError(
    "SESSION_DAMAGED",
    `${escapeLine(first.file)} is damaged: ${escapeLine(first.reason)}${also}`,
    { detail: { wanted, files: found.map(({ file }) => file) }, remedy: escapeLine(first.remedy) },
  );
}

/** The store's file names have lower-case letters, digits, `_` and `-`; any other run of characters is one `_`. */
function isNamedAfter(file: string, wanted: string): boolean {
  const slug = wanted.toLowerCase().replace(/[^a-z0-9_-]+/g, "_");
  // Without a letter or digit it would match every file.
  return (
    /[a-z0-9]/.test(slug) &&
    basename(file)
      .replace(/[~.].*$/, "")
      .includes(slug)
  );
}
