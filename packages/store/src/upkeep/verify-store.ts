/**
 * Reads every session in the directory, or those of some keys, and names all damage. Takes no lease, changes nothing, and
 * works while others write and on a read-only file system.
 */

import type { FileStat, FileSystem } from "../host/host.ts";
import { isSameFile } from "../host/is-same-file.ts";
import { tryOpen } from "../host/try-open.ts";
import { useFile } from "../host/use-file.ts";
import type { Header } from "../format/header.ts";
import { fileNameOf, SESSION_SUFFIX } from "../format/key.ts";
import type { Damage } from "../format/session-record.ts";
import type { BackendUpkeepOptions } from "../contract/backend.ts";
import type { VerifyReport } from "../contract/types.ts";
import { leftUnowned, OF_ALL_SESSIONS } from "../engine/verify/left-as-it-is.ts";
import { findStrangers } from "../engine/verify/find-orphans.ts";
import { everySessionFile } from "../engine/files/every-session-file.ts";
import {
  peekHeader,
  tryReadHeader,
  type FoundSessionFile,
  type SessionFile,
} from "../engine/files/find-session-file.ts";
import { isForeignFile } from "../engine/files/foreign-file.ts";
import { idInName } from "../format/layout.ts";
import type { Id } from "../format/session-id.ts";
import { stubbedSessions } from "../engine/files/session-stub.ts";
import type { UnplacedRecords } from "../engine/instance/dead-journals.ts";
import { foreseePutBack, mendedFile, unplacedOf } from "./foresee-put-back.ts";
import { checkKeptRecords } from "./restore-kept-records.ts";
import { verifySession, type CheckedSession, type VerifyPlace } from "../engine/verify/verify-session.ts";

export interface VerifyStorePlace extends VerifyPlace {
  /** What is wrong with the journals of dead instances: each may have held records of any session. */
  journalDamage(): Promise<readonly Damage[]>;
  /** Acknowledged records in such journals whose session has no file that can be read; `names`: only of these session files. */
  recordsWithoutFile(names: ReadonlySet<string> | undefined): Promise<readonly UnplacedRecords[]>;
  /** Somebody may be forking a session now: its files come before its name. */
  mayBeForking(): Promise<boolean>;
}

/** What becomes of a session that was found damaged, or perhaps is; answers with what to report. */
export type HandleSession = (checked: CheckedSession) => Promise<readonly Damage[]>;
/** The same for a file or directory that belongs to no session; or perhaps to one of `unknown`, files whose header is damaged. */
export type HandleStranger = (path: string, unknown: readonly string[]) => Promise<Damage>;

export async function verifyStore(
  place: VerifyStorePlace,
  options: BackendUpkeepOptions,
): Promise<VerifyReport> {
  /** By session id: why a repair leaves the session, and with it the records to be put between its own. */
  const leftById = new Map<string | undefined, string>();
  const mended = new Map<Id, FoundSessionFile>();
  const report = await walkStore(
    place,
    options,
    async (checked) => {
      const { damage, left, header, isMisplaced } = checked;
      const file = mendedFile(checked);
      if (file !== undefined) mended.set(file.header.id, file);
      if (left === undefined) return await Promise.resolve(damage);
      if (!isMisplaced) leftById.set(header?.id, left);
      return damage.map((each) => ({ ...each, left }));
    },
    async (path, unknown) =>
      await Promise.resolve(
        unknown.length > 0 ? { ...strangerDamage(path), left: leftUnowned(unknown) } : strangerDamage(path),
      ),
  );
  // Journals first: what a recovery takes out of one in between is kept by then.
  const inJournals = await place.recordsWithoutFile(namesOf(options.keys));
  const kept = await checkKeptRecords(place, options.keys);
  const unplaced = [...inJournals, ...kept.flatMap(unplacedOf)];
  const isUnplaced = new Set(unplaced.map(({ damage }) => damage));
  const keptDamage = kept.flatMap(({ id, damage: ofSession, isInsertable }) => {
    const damage = ofSession.filter((each) => !isUnplaced.has(each));
    const left = isInsertable ? leftById.get(id) : undefined;
    return left === undefined ? damage : damage.map((each) => ({ left, ...each }));
  });
  const unplacedDamage = await foreseePutBack(place, mended, unplaced);
  return { ...report, damage: [...report.damage, ...unplacedDamage, ...keptDamage] };
}

export async function walkStore(
  place: VerifyStorePlace,
  { keys, onProgress }: BackendUpkeepOptions,
  onSession: HandleSession,
  onStranger: HandleStranger,
): Promise<VerifyReport> {
  const { files, layout } = place;
  const names = namesOf(keys);
  const journals = await place.journalDamage();
  const damage: Damage[] = [
    ...(keys === undefined ? journals : journals.map((each) => ({ ...each, left: OF_ALL_SESSIONS }))),
  ];
  /** By id: where files of the session were found, the first one first. */
  const paths = new Map<string, string[]>();
  const unknown = new Set<string>();
  /** By path: files whose header cannot be read as it stands. They are not told apart by their ids. */
  const unreadable = new Map<string, FileStat | undefined>();
  let sessions = 0;
  let records = 0;
  let done = 0;
  let total = names?.size ?? 0;
  const onCount = (count: number): void => void (total = names === undefined ? count : total);
  for await (const { file, isAgain } of everySessionFile(files, layout, onCount)) {
    if (names?.has(activeNameOf(file)) === false) continue;
    const stat = await files.stat(file.path);
    if (isAgain && stat !== undefined && isSameFile(stat, unreadable.get(file.path))) continue;
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
    if (checked.damage.length > 0 && (await headerAt(files, file.path)) === undefined)
      unreadable.set(file.path, stat);
    const id = checked.header?.id ?? idInName(file);
    if (id === undefined) unknown.add(file.path);
    else {
      const met = paths.get(id) ?? [];
      paths.set(id, [...met, file.path]);
      if (met[0] !== undefined && met[0] !== file.path && !checked.isMisplaced)
        damage.push(secondFile(met[0], file.path));
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
      damage.push(await onStranger(path, [...unknown]));
  }
  return { sessions, records, damage };
}

function namesOf(keys: BackendUpkeepOptions["keys"]): ReadonlySet<string> | undefined {
  return keys === undefined ? undefined : new Set<string>([...keys].map(fileNameOf));
}

/** As often as a session is sealed or moved while two of its files are compared. */
const LOOKS = 20;

/**
 * The session was verified where its file was before. Of two files with one session both are verified. `id`: of the file, as its header says
 * or as verify has found it.
 */
async function isMet(
  { files }: VerifyStorePlace,
  { path }: SessionFile,
  id: string | undefined,
  paths: ReadonlyMap<string, readonly string[]>,
): Promise<boolean> {
  for (const metAt of id === undefined ? [] : (paths.get(id) ?? [])) {
    if (metAt === path || !(await areTwo(files, id, metAt, path))) return true;
  }
  return false;
}

/** Whether the session is in both files at once. */
async function areTwo(
  files: FileSystem,
  id: string | undefined,
  metAt: string,
  path: string,
): Promise<boolean> {
  // A damaged header is not that of another session: what verify has found in that file counts.
  const mayHoldIt = async (at: string): Promise<boolean> => {
    const header = await headerAt(files, at);
    return header === undefined || header.id === id;
  };
  for (let look = 0; look < LOOKS; look++) {
    const one = await files.stat(metAt);
    const isThere = await mayHoldIt(metAt);
    const other = await files.stat(path);
    const isHere = await mayHoldIt(path);
    if (one === undefined || other === undefined || !isThere || !isHere) return false;
    // A file that was moved is the same file.
    if (isSameFile(one, other)) return false;
    // One that was moved or sealed meanwhile is not where it was, and is looked at again.
    if (isSameFile(await files.stat(metAt), one)) return true;
  }
  return true;
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
    if (opened?.kind !== "opened") continue;
    const id = (await useFile(opened.file, peekHeader))?.id;
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
