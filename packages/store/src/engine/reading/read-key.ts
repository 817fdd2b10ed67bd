/**
 * The session that a key reads, while other processes may archive and restore it: looked for where it is mostly, then in an
 * order in which it cannot pass us by, again as long as one of the key has left meanwhile (files/move-marks.ts).
 */

import { isLonghandError } from "../../errors.ts";
import { fileNameOf } from "../../format/key.ts";
import type { Snapshot } from "../../contract/backend.ts";
import { activeFile, type SessionFile } from "../files/find-session-file.ts";
import { isForeignFile } from "../files/foreign-file.ts";
import { leaseNameOf } from "../../format/layout.ts";
import { SettledLook } from "../files/move-marks.ts";
import { newestPutAway, type PutAwaySession } from "./list-sessions.ts";
import { readSession, type ReadPlace } from "./read-session.ts";

/** The active one, else the archived one that was written to last. */
export async function readKey(place: ReadPlace, key: string): Promise<Snapshot | undefined> {
  const file = activeFile(place.layout, fileNameOf(key));
  let active = await readActive(place, file, key);
  let archived: PutAwaySession | undefined;
  const look = new SettledLook(place.files, place.layout, leaseNameOf(key));
  while (active === undefined && (await look.isNeeded())) {
    active = await readActive(place, file, key);
    if (active !== undefined) break;
    archived = await newestPutAway(place, "archived", key);
    // Also if there is an archived one: that may be older than one that has come back.
    active = await readActive(place, file, key);
  }
  return active ?? archived?.snapshot;
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
