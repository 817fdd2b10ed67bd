import { sessionPath } from "../files/layout.ts";
import { newestPutAway } from "./list-sessions.ts";
import { readSession, type ReadPlace } from "./read-session.ts";
import type { Snapshot } from "../../../store/backend.ts";

/** The session that a key reads: the active one, else the archived one that was written to last. */
export async function readKey(place: ReadPlace, key: string): Promise<Snapshot | undefined> {
  const active = { path: sessionPath(place.layout, key), status: "active" } as const;
  // Active again after the archive: it may have come back while we looked there.
  return (
    (await readSession(place, active, key)) ??
    (await newestPutAway(place, "archived", key))?.snapshot ??
    (await readSession(place, active, key))
  );
}
