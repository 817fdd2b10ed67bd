/** A fresh directory for a tour: under the home, or under the temporary directory where there is no home to write to. */

import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { errorCode } from "../error-code.ts";
import type { Place } from "../config/places.ts";

export async function makeTourDirectory(home: Place, now: Date): Promise<string> {
  // Without HOME, nobody has said where things may be put: a demonstration does not guess.
  const isGuessed = home.source === "account" || home.source === "temporary";
  if (!isGuessed) {
    try {
      const parent = join(home.path, "tour");
      await makeWithParents(parent);
      const directory = join(parent, now.toISOString().replaceAll(/[:.]/g, "-"));
      await mkdir(directory, { mode: 0o700 });
      return directory;
    } catch (error) {
      // A home named on the command line is meant: then the failure is the answer.
      if (home.source === "option") throw cannotBeMade(home.path, error);
    }
  }
  return await mkdtemp(join(tmpdir(), "longhand-tour-"));
}

function cannotBeMade(home: string, cause: unknown): CommandError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const why = errorCode(cause) === "ENOTDIR" ? "there is a file where a directory must be" : reason;
  return new CommandError("FILE_FAILED", `--home ${home}: the tour cannot make its directory there: ${why}`, {
    detail: { home },
    cause,
  });
}

/** Not mkdir's `recursive`: it never ends where a parent exists and yet nothing can be made in it, as in /proc. */
async function makeWithParents(path: string): Promise<void> {
  try {
    await makeUnlessThere(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeWithParents(dirname(path));
    await makeUnlessThere(path);
  }
}

async function makeUnlessThere(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
