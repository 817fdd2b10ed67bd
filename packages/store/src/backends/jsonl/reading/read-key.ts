import { isLonghandError } from "../../../errors.ts";
import { fileNameOf } from "../../../record/key.ts";
import type { SessionFile } from "../files/find-session-file.ts";
import { isForeignFile } from "../files/foreign-file.ts";
import { sessionPath } from "../files/layout.ts";
import { newestPutAway } from "./list-sessions.ts";
import { readSession, type ReadPlace } from "./read-session.ts";
import type { Snapshot } from "../../../store/backend.ts";

/** The session that a key reads: the active one, else the archived one that was written to last. */
export async function readKey(place: ReadPlace, key: string): Promise<Snapshot | undefined> {
  const active = { path: sessionPath(place.layout, key), name: fileNameOf(key), status: "active" } as const;
  // Active again after the archive: it may have come back while we looked there.
  return (
    (await readActive(place, active, key)) ??
    (await newestPutAway(place, "archived", key))?.snapshot ??
    (await readActive(place, active, key))
  );
}

/** A file of another program by that name is no session. */
async function readActive(place: ReadPlace, file: SessionFile, key: string): Promise<Snapshot | undefined> {
  try {
    return await readSession(place, file, key);
  } catch (error) {
    if (isLonghandError(error, "SESSION_DAMAGED") && (await isForeignFile(place, file))) return undefined;
    throw error;
  }
}
