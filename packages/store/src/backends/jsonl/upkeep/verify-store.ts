/**
 * Reads every session in the directory, or those of some keys, and names all damage. Takes no lease, changes nothing, and
 * works while others write and on a read-only file system.
 */

import { useFile } from "../../../host/use-file.ts";
import { fileNameOf, SESSION_SUFFIX } from "../../../record/key.ts";
import type { Damage } from "../../../record/session-record.ts";
import type { BackendUpkeepOptions } from "../../../store/backend.ts";
import type { VerifyReport } from "../../../store/types.ts";
import { findStrangers } from "./find-orphans.ts";
import { peekHeader, sessionFiles, type SessionFile } from "../files/find-session-file.ts";
import { isForeignFile } from "../files/foreign-file.ts";
import { idInName } from "../files/layout.ts";
import { stubbedSessions } from "../files/session-stub.ts";
import { tryOpen } from "./verify-segment.ts";
import { verifySession, type CheckedSession, type VerifyPlace } from "./verify-session.ts";

export interface VerifyStorePlace extends VerifyPlace {
  /** What is wrong with the journals of dead instances. */
  journalDamage(): Promise<readonly Damage[]>;
  /** Somebody may be forking a session now: its files come before its name. */
  mayBeForking(): Promise<boolean>;
}

/** What becomes of a session that was found damaged, or perhaps is; answers with what to report. */
export type HandleSession = (checked: CheckedSession) => Promise<readonly Damage[]>;
/** The same for a file or directory that belongs to no session. `mayBeOurs`: to one that cannot be read, perhaps. */
export type HandleStranger = (path: string, mayBeOurs: boolean) => Promise<Damage>;

export async function verifyStore(
  place: VerifyStorePlace,
  options: BackendUpkeepOptions,
): Promise<VerifyReport> {
  return await walkStore(
    place,
    options,
    async ({ damage, left }) =>
      await Promise.resolve(left === undefined ? damage : damage.map((each) => ({ ...each, left }))),
    async (path) => await Promise.resolve(strangerDamage(path)),
  );
}

export async function walkStore(
  place: VerifyStorePlace,
  { keys, onProgress }: BackendUpkeepOptions,
  onSession: HandleSession,
  onStranger: HandleStranger,
): Promise<VerifyReport> {
  const { files, layout } = place;
  const all = await sessionFiles(files, layout);
  const wanted = keys === undefined ? all : filesOf(all, keys);
  const damage: Damage[] = keys === undefined ? [...(await place.journalDamage())] : [];
  const ids = new Set<string>();
  let sessions = 0;
  let records = 0;
  let isAllKnown = true;
  for (const [index, file] of wanted.entries()) {
    onProgress(index, wanted.length);
    const onShare = (share: number): void => onProgress(index + share, wanted.length);
    const checked = await verifySession({ ...place, onShare }, file);
    if (checked === undefined) continue;
    if (checked.header === undefined && (await isForeignFile(place, file))) continue;
    const id = checked.header?.id ?? idInName(file);
    if (id === undefined) isAllKnown = false;
    else ids.add(id);
    if (checked.header !== undefined) {
      records += checked.records;
      if (!checked.isMisplaced) sessions += 1;
    }
    if (checked.damage.length > 0 || checked.isDoubtful) damage.push(...(await onSession(checked)));
  }
  onProgress(wanted.length, wanted.length);
  if (keys === undefined) {
    for (const path of await strangersBeside(place, ids)) damage.push(await onStranger(path, !isAllKnown));
  }
  return { sessions, records, damage };
}

export function strangerDamage(path: string): Damage {
  const reason = "no session names this, neither an active one nor one that was put away";
  return { file: path, offset: 0, bytes: 0, kind: "corrupt", reason };
}

/** Looked at again: a session may have been made since the files were listed, or is being made or removed. */
async function strangersBeside(place: VerifyStorePlace, ids: Set<string>): Promise<readonly string[]> {
  const { files, layout } = place;
  const found = await findStrangers(files, layout, ids);
  if (found.length === 0 || (await place.mayBeForking())) return [];
  for (const file of await sessionFiles(files, layout)) {
    const opened = await tryOpen(files, file.path);
    if (opened === undefined || typeof opened === "string") continue;
    const id = (await useFile(opened, peekHeader))?.id;
    if (id !== undefined) ids.add(id);
  }
  for (const id of await stubbedSessions(files, layout)) ids.add(id);
  const still = new Set(await findStrangers(files, layout, ids));
  return found.filter((path) => still.has(path));
}

/** By their names, so that one whose header is damaged is among them. */
function filesOf(files: readonly SessionFile[], keys: ReadonlySet<string>): SessionFile[] {
  const names = new Set<string>([...keys].map(fileNameOf));
  return files.filter((file) => names.has(activeNameOf(file)));
}

/** What the session's file is called while it is active. */
function activeNameOf(file: SessionFile): string {
  const id = idInName(file);
  return id === undefined
    ? file.name
    : file.name.slice(0, -`.${id}${SESSION_SUFFIX}`.length) + SESSION_SUFFIX;
}
