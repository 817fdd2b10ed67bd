/**
 * What deleting a session for good does not remove, since nobody can tell from outside whose it is: bytes that were kept
 * aside, and the originals of a migration. Reads only.
 */

import { join } from "node:path";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { namesIn } from "./names-in.ts";

export interface LeftBehind {
  /** The directory with damaged bytes, and how many files are in it. `undefined`: there are none. */
  readonly damaged: { readonly directory: string; readonly files: number } | undefined;
  /** Paths of files that other programs had, as they are called since their migration. */
  readonly originals: readonly string[];
}

const MIGRATED = /\.migrated(\.\d+)?$/;
const SHOWN_ORIGINALS = 3;

export async function findLeftBehind(directory: string): Promise<LeftBehind> {
  const aside = join(directory, ".longhand", "damaged");
  const files = (await namesIn(aside)).length;
  const originals = (await namesIn(directory)).filter((name) => MIGRATED.test(name));
  return {
    damaged: files === 0 ? undefined : { directory: aside, files },
    originals: originals.map((name) => join(directory, name)),
  };
}

export function leftBehindLines({ damaged, originals }: LeftBehind): string[] {
  const more = originals.length - SHOWN_ORIGINALS;
  return [
    ...(damaged === undefined
      ? []
      : [
          `Not removed: ${countOf(damaged.files, "file")} with damaged bytes in ${escapeLine(damaged.directory)}, some of which may be its own.`,
        ]),
    ...(originals.length === 0
      ? []
      : [
          `Not removed: originals of a migration, of which one may be its own: ${originals.slice(0, SHOWN_ORIGINALS).map(escapeLine).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
        ]),
    "Not removed: what forks of it share with it; each fork is a session of its own.",
  ];
}
