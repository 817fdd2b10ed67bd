/** Why a repair leaves something as it is, and what to do: `left` of a report. Each names an act that a person can do, and its object. Pure. */

import { assertNever } from "../../errors.ts";
import type { NotOpened } from "../../format/damage-reason.ts";

export const UPDATE_TO_CHECK = "update Longhand to check it";
export const UPDATE_TO_REPAIR = "update Longhand to mend it";
export const LINKED_DIRECTORY =
  "the directory of its sealed files is a link, which is not followed; put the directory itself there";
export const MISPLACED = "move it out of the store, or to that name if nothing is there";

/** Of a damaged journal, when only some sessions are verified or repaired. */
export const OF_ALL_SESSIONS =
  "the journal may have held records of any session: repair the whole store, without a key";

const FROM_BACKUP = "put the file back from a backup, or move it out of the store";

export function leftUnopened(why: Pick<NotOpened, "code">, path: string): string {
  switch (why.code) {
    case "not-permitted":
      return `let this user read and write it, as the owner of the file: chmod u+rw ${path}`;
    case "not-regular":
    case "behind-link":
      return "put the session's file there from a backup, or move this out of the store";
    default:
      return assertNever(why.code);
  }
}

/** What keeps a header from being proven that can still be read in part. */
export type Obstacle =
  | { readonly kind: "second-file"; readonly path: string }
  | { readonly kind: "unreadable-file"; readonly message: string }
  | { readonly kind: "chain" }
  | { readonly kind: "sealed-file"; readonly path: string; readonly reason: string }
  | { readonly kind: "unnamed-file"; readonly path: string };

/** Of a file whose header is damaged. `undefined`: nothing of it can be read. */
export function leftUnproven(obstacle: Obstacle | undefined): string {
  if (obstacle === undefined) return `whose it is cannot be proven; ${FROM_BACKUP}`;
  switch (obstacle.kind) {
    case "second-file":
      return `whose it is cannot be proven while ${obstacle.path} has the same session id: compare the two, move one out of the store and repair again`;
    case "unreadable-file":
      return `whose it is cannot be proven while another file may have the same session id (${obstacle.message}): make that readable, or move it out of the store, and repair again`;
    case "chain":
      return `whose it is cannot be proven, since its header names sealed files with a gap between them; ${FROM_BACKUP}`;
    case "sealed-file":
      return `whose it is cannot be proven while its sealed file ${obstacle.path} is damaged too (${obstacle.reason}): put that file back from a backup and repair again; or put this one back from a backup, which is enough`;
    case "unnamed-file":
      return `whose it is cannot be proven while ${obstacle.path} is there, which its header does not name: move that out of the store and repair again`;
    default:
      return assertNever(obstacle);
  }
}

/** Of a directory of sealed files. `files`: session files whose id is unknown, at least one. */
export function leftUnowned(files: readonly string[]): string {
  const which = files.length === 1 ? (files[0] ?? "") : `one of ${files.join(", ")}`;
  return `it may belong to ${which}, whose header is damaged: leave it until that file is mended, put back or moved out of the store, and repair again`;
}

/** Which sealed files are wanted depends on which of the two is. */
export function leftForSecond(second: string): string {
  return `${second} has the same session id, and may name other sealed files: compare the two, move one out of the store and repair again`;
}
