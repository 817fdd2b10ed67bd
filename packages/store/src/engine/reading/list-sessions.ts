/** The sessions in a directory, read from their files. One that cannot be read is reported, the others are listed. */

import { isLonghandError, type LonghandError } from "../../errors.ts";
import { ioError } from "../../host/io-error.ts";
import { lazy } from "../../lazy.ts";
import { fileNameOf } from "../../format/key.ts";
import { isId } from "../../format/session-id.ts";
import type { Damage, SessionInfo } from "../../format/session-record.ts";
import type { Snapshot } from "../../contract/backend.ts";
import type { MetFile } from "../files/every-session-file.ts";
import { putAwayFilesOf, tryReadHeader, type SessionFile } from "../files/find-session-file.ts";
import { isForeignFile } from "../files/foreign-file.ts";
import { putAwayName } from "../../format/layout.ts";
import { readSession, type ReadPlace } from "./read-session.ts";

/** Each once, also one that is moved while we look. `seen`: the ids of those that are listed already. */
export async function* listReadableSessions(
  place: ReadPlace,
  met: AsyncIterable<MetFile> | Iterable<MetFile>,
  seen: Set<string> = new Set<string>(),
): AsyncIterable<Snapshot> {
  for await (const { file, isAgain } of met) {
    const id = isAgain ? (await tryReadHeader(place.files, file.path, () => undefined))?.id : undefined;
    if (id !== undefined && seen.has(id)) continue;
    const snapshot = await tryRead(place, file);
    if (snapshot === undefined || seen.has(snapshot.info.id)) continue;
    seen.add(snapshot.info.id);
    yield snapshot;
  }
}

export interface PutAwaySession {
  readonly file: SessionFile;
  readonly snapshot: Snapshot;
}

/**
 * The archived, or trashed, session of this key that was written to last. Unlike a listing it fails if one cannot be
 * read: to go on without it would begin a second conversation in its place.
 */
export async function newestPutAway(
  place: ReadPlace,
  status: "archived" | "trashed",
  key: string,
): Promise<PutAwaySession | undefined> {
  let newest: PutAwaySession | undefined;
  for (const file of await putAwayFilesOf(place.files, place.layout, status, key)) {
    const snapshot = await readSession(place, file, key);
    if (snapshot === undefined) continue;
    if (newest === undefined || isNewer(snapshot.info, newest.snapshot.info)) newest = { file, snapshot };
  }
  return newest;
}

function isNewer(one: SessionInfo, other: SessionInfo): boolean {
  return one.updated === other.updated ? one.id > other.id : one.updated > other.updated;
}

export async function tryRead(place: ReadPlace, file: SessionFile): Promise<Snapshot | undefined> {
  let reason: string | undefined;
  try {
    const snapshot = await readSession(place, file, undefined);
    reason = snapshot === undefined ? undefined : misplaced(snapshot.info, file);
    if (reason === undefined) return snapshot;
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    if (!isDamage(error)) {
      place.onError(error);
      return undefined;
    }
    if (await isForeignFile(place, file)) return undefined;
    const { reason: why } = error.detail;
    reason = typeof why === "string" ? why : error.message;
  }
  const left = await whyLeft(place, file);
  const damage: Damage = { file: file.path, offset: 0, bytes: 0, kind: "corrupt", reason };
  place.onDamage(left === undefined ? damage : { ...damage, left });
  return undefined;
}

const loadVerify = lazy(async () => await import("../verify/verify-session.ts"));

/** Whoever is told of it wants to know whether a repair would help. `undefined`: it would. */
async function whyLeft(
  { files, layout, patchesOf, mayBeGrowing }: ReadPlace,
  file: SessionFile,
): Promise<string | undefined> {
  const mayGrow = mayBeGrowing ?? (async (): Promise<boolean> => await Promise.resolve(true));
  try {
    const { verifySession } = await loadVerify();
    return (await verifySession({ files, layout, patchesOf, mayBeGrowing: mayGrow }, file))?.left;
  } catch (error) {
    return `it cannot be read through (${ioError(error, "verifying the session", file.path).message}); put the file back from a backup`;
  }
}

/** What is no regular file, a link, a directory, a socket, cannot be a session. No permission, a newer format: not its fault. */
function isDamage({ code, detail }: LonghandError): boolean {
  return (
    code === "SESSION_DAMAGED" || ["ELOOP", "EINVAL", "EISDIR", "ENXIO"].includes(String(detail["errno"]))
  );
}

/** A copy made by hand, say. Listing it would show one session twice; the file by its own name holds it. */
export function misplaced({ key, id }: SessionInfo, { name, status }: SessionFile): string | undefined {
  const activeName = fileNameOf(key);
  const expected = status === "active" || !isId(id) ? activeName : putAwayName(activeName, id);
  return expected === name ? undefined : `it holds the key ${JSON.stringify(key)}, whose file is ${expected}`;
}
