/**
 * Reads every session in the directory, or those of some keys, and names all damage. Takes no lease, changes nothing, and
 * works while others write and on a read-only file system.
 */

import type { FileSystem } from "../../../host/host.ts";
import { isSameFile } from "../../../host/is-same-file.ts";
import { useFile } from "../../../host/use-file.ts";
import type { Header } from "../../../record/header.ts";
import { fileNameOf, SESSION_SUFFIX } from "../../../record/key.ts";
import type { Damage } from "../../../record/session-record.ts";
import type { BackendUpkeepOptions } from "../../../store/backend.ts";
import type { VerifyReport } from "../../../store/types.ts";
import { findStrangers } from "./find-orphans.ts";
import { everySessionFile } from "../files/every-session-file.ts";
import { peekHeader, tryReadHeader, type SessionFile } from "../files/find-session-file.ts";
import { isForeignFile } from "../files/foreign-file.ts";
import { idInName } from "../files/layout.ts";
import { stubbedSessions } from "../files/session-stub.ts";
import { checkKeptRecords } from "./kept-records.ts";
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
  const report = await walkStore(
    place,
    options,
    async ({ damage, left }) =>
      await Promise.resolve(left === undefined ? damage : damage.map((each) => ({ ...each, left }))),
    async (path) => await Promise.resolve(strangerDamage(path)),
  );
  const kept = await checkKeptRecords(place, options.keys);
  return { ...report, damage: [...report.damage, ...kept.map(({ damage }) => damage)] };
}

export async function walkStore(
  place: VerifyStorePlace,
  { keys, onProgress }: BackendUpkeepOptions,
  onSession: HandleSession,
  onStranger: HandleStranger,
): Promise<VerifyReport> {
  const { files, layout } = place;
  const names = keys === undefined ? undefined : new Set<string>([...keys].map(fileNameOf));
  const damage: Damage[] = keys === undefined ? [...(await place.journalDamage())] : [];
  /** By id: where the session was found. */
  const paths = new Map<string, string>();
  const unknown = new Set<string>();
  let sessions = 0;
  let records = 0;
  let done = 0;
  let total = names?.size ?? 0;
  const onCount = (count: number): void => void (total = names === undefined ? count : total);
  for await (const { file, isAgain } of everySessionFile(files, layout, onCount)) {
    if (names?.has(activeNameOf(file)) === false || (isAgain && unknown.has(file.path))) continue;
    // So that it is not read twice; it may also come back only now.
    const metId = isAgain || file.status !== "active" ? (await headerAt(files, file.path))?.id : undefined;
    if (await isMet(place, file, metId, paths)) continue;
    const before = done++;
    total = Math.max(total, done);
    onProgress(before, total);
    const onShare = (share: number): void => onProgress(before + share, total);
    const checked = await verifySession({ ...place, onShare }, file);
    if (checked === undefined || (await isMet(place, file, checked.header?.id, paths))) continue;
    if (checked.header === undefined && (await isForeignFile(place, file))) continue;
    const id = checked.header?.id ?? idInName(file);
    if (id === undefined) unknown.add(file.path);
    else {
      const first = paths.get(id) ?? file.path;
      paths.set(id, first);
      if (first !== file.path && !checked.isMisplaced) damage.push(secondFile(first, file.path));
    }
    if (checked.header !== undefined) {
      records += checked.records;
      if (!checked.isMisplaced) sessions += 1;
    }
    if (checked.damage.length > 0 || checked.isDoubtful) damage.push(...(await onSession(checked)));
  }
  onProgress(total, total);
  if (keys === undefined) {
    for (const path of await strangersBeside(place, new Set(paths.keys())))
      damage.push(await onStranger(path, unknown.size > 0));
  }
  return { sessions, records, damage };
}

/** The session was verified where its file was before. Of two files with one session both are verified. */
async function isMet(
  { files }: VerifyStorePlace,
  { path }: SessionFile,
  id: string | undefined,
  paths: ReadonlyMap<string, string>,
): Promise<boolean> {
  const metAt = id === undefined ? undefined : paths.get(id);
  if (metAt === undefined) return false;
  const holdsIt = async (at: string): Promise<boolean> => (await headerAt(files, at))?.id === id;
  const one = await files.stat(metAt);
  const isThere = await holdsIt(metAt);
  const other = await files.stat(path);
  const isHere = await holdsIt(path);
  // A file that was moved is the same file; one that was sealed meanwhile is not where it was.
  const areTwo = isThere && isHere && other !== undefined && !isSameFile(one, other);
  return !areTwo || !isSameFile(await files.stat(metAt), one);
}

async function headerAt(files: FileSystem, path: string): Promise<Header | undefined> {
  return await tryReadHeader(files, path, () => undefined);
}

/** `isMet` has told them apart: the session is in both at once. */
function secondFile(first: string, second: string): Damage {
  const reason = `it has the same session id as ${first}: archive, restore, delete, purge and fork refuse both`;
  const left = "compare the two and move one out of the store";
  return { file: second, offset: 0, bytes: 0, kind: "corrupt", reason, left };
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
  for await (const { file } of everySessionFile(files, layout)) {
    const opened = await tryOpen(files, file.path);
    if (opened === undefined || typeof opened === "string") continue;
    const id = (await useFile(opened, peekHeader))?.id;
    if (id !== undefined) ids.add(id);
  }
  for (const id of await stubbedSessions(files, layout)) ids.add(id);
  const still = new Set(await findStrangers(files, layout, ids));
  return found.filter((path) => still.has(path));
}

/** What the session's file is called while it is active. */
function activeNameOf(file: SessionFile): string {
  const id = idInName(file);
  return id === undefined
    ? file.name
    : file.name.slice(0, -`.${id}${SESSION_SUFFIX}`.length) + SESSION_SUFFIX;
}
