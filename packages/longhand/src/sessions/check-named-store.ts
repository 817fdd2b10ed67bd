/** A directory that the user named must be what it was named as: a typo must not read as an empty store that is well. */

import { readdir } from "node:fs/promises";
import type { Place, Places } from "../config/places.ts";
import { CommandError } from "../command-error.ts";
import { errorCode } from "../error-code.ts";
import { escapeLine } from "../terminal/escape-controls.ts";

/** The default place need not exist: nothing was kept in it yet. STORE_NOT_FOUND otherwise. */
export async function checkNamedDirectory(places: Places): Promise<void> {
  for (const place of namedPlaces(places)) await namesIn(place.path);
}

/** For commands that say whether a store is well: what they are pointed to must be one. `false`: nothing was kept here yet. */
export async function checkNamedStore(places: Places): Promise<boolean> {
  await checkNamedDirectory(places);
  const { path } = places.sessions;
  const isNamed = namedPlaces(places).length > 0 || places.workspace.source === "option";
  const names = await namesIn(path).catch((error: unknown) => {
    if (error instanceof CommandError) return [];
    throw error;
  });
  if (names === undefined || names.some(isOfStore)) return true;
  if (isNamed) throw notFound(path, `${escapeLine(path)} holds no store`);
  return false;
}

function namedPlaces({ home, sessions }: Places): readonly Place[] {
  return [sessions, home].filter(({ source }) => source === "option").slice(0, 1);
}

/** What a store leaves in its directory; a store of which only the session files were copied has no more than these. */
function isOfStore(name: string): boolean {
  return name.endsWith(".jsonl") || [".longhand", "segments", "archive", "trash"].includes(name);
}

/** STORE_NOT_FOUND: there is no such directory. `undefined`: it may not be read, which opening it explains. */
async function namesIn(path: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw notFound(path, `no such directory: ${escapeLine(path)}`);
    if (code === "ENOTDIR") throw notFound(path, `${escapeLine(path)} is not a directory`);
    return undefined;
  }
}

function notFound(path: string, message: string): CommandError {
  return new CommandError("STORE_NOT_FOUND", message, { detail: { directory: path } });
}
