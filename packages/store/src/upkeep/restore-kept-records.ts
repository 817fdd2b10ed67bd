/**
 * Records that were kept aside because they did not fit their session's file, or because it had none: whether they are in
 * it by now, fit behind its last record, or belong to a history that it has not gone on with. Only those that fit are put
 * back, and only by a repair; the others stay where they are, and are reported.
 */

import { dirname } from "node:path";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { patchedSource } from "../session/byte-source.ts";
import { openSessionForWriting } from "../session/open-session.ts";
import { fileNameOf, type FileName } from "../format/key.ts";
import { removedPath } from "../format/layout.ts";
import type { Id } from "../format/session-id.ts";
import type { Damage } from "../format/session-record.ts";
import { findSessionFile, type FoundSessionFile } from "../engine/files/find-session-file.ts";
import { fitKeptInto, type KeptFile, type KeptPlace } from "../engine/files/fit-kept-records.ts";
import {
  areWhole,
  describeLines,
  describeRecords,
  keptRecordFiles,
  keptSessionOf,
  markRestored,
  readKeptRecords,
} from "../engine/files/kept-record-files.ts";
import { damagedKeptLeft, fitJournals, judgeJournals, keptLeft } from "../engine/files/stray-records.ts";
import type { RepairDeps } from "./repair-segment.ts";
import type { VerifyPlace } from "../engine/verify/verify-session.ts";

/** What is kept of one session. */
export interface CheckedRecords {
  /** `undefined`: whose they are cannot be read any more. */
  readonly id: Id | undefined;
  readonly kept: readonly KeptFile[];
  /** The session's file; `undefined`: it has none. */
  readonly session: FoundSessionFile | undefined;
  /** Of each kept file whose records are not all in the session. */
  readonly damage: readonly Damage[];
  /** A repair has something to put behind the session's last record. */
  readonly isRestorable: boolean;
  /** A repair has something to put between records of the session: it writes their file anew. */
  readonly isInsertable: boolean;
}

/** Once journals of dead processes are recovered, `patchesOf` has nothing of them. */
type JournalsPlace = Pick<VerifyPlace, "files" | "layout" | "patchesOf">;

/** All that are kept and are in no session, nor of one that was removed for good. `keys`: only of these. */
export async function checkKeptRecords(
  place: JournalsPlace,
  keys: ReadonlySet<string> | undefined,
): Promise<CheckedRecords[]> {
  const checked: CheckedRecords[] = [];
  const names = keys === undefined ? undefined : new Set([...keys].map(fileNameOf));
  const sessions = new Map<Id, KeptFile[]>();
  for (const path of await keptRecordFiles(place.files, place.layout)) {
    const records = await readKeptRecords(place.files, path);
    const [first] = records ?? [];
    if (records === undefined || first === undefined) {
      if (names === undefined || (await isNamedAfterOne(place, path, names))) checked.push(unreadable(path));
    } else if (names === undefined || names.has(first.name))
      sessions.set(first.session, [...(sessions.get(first.session) ?? []), { path, records }]);
  }
  for (const [id, kept] of sessions) {
    const found = await checkSession(place, id, kept);
    if (found.damage.length > 0) checked.push(found);
  }
  return checked;
}

/** Where the content of a kept file tells no more, the id in its name does. */
async function isNamedAfterOne(
  { files, layout }: KeptPlace,
  path: string,
  names: ReadonlySet<FileName>,
): Promise<boolean> {
  const id = keptSessionOf(layout, path);
  for (const name of names) {
    const found = await findSessionFile(files, layout, id, name).catch(() => undefined);
    if (found !== undefined) return true;
  }
  return false;
}

/** These files of one session have nothing any more that the session lacks. Answers with where they are now. */
export async function markAllRestored(place: KeptPlace, paths: readonly string[]): Promise<string[]> {
  const restored: string[] = [];
  for (const path of paths) {
    if ((await place.files.stat(path)) !== undefined)
      restored.push(await markRestored(place.files, place.layout, path));
  }
  return restored;
}

function unreadable(path: string): CheckedRecords {
  const reason = "records were kept here, and cannot be read any more";
  const left = "nothing can be put back from it; move it out of the store";
  const damage = [{ file: path, offset: 0, bytes: 0, kind: "corrupt", reason, left } as const];
  return { id: undefined, kept: [], session: undefined, damage, isRestorable: false, isInsertable: false };
}

async function checkSession(
  place: JournalsPlace,
  id: Id,
  kept: readonly KeptFile[],
): Promise<CheckedRecords> {
  const { files, layout } = place;
  // A file that cannot be read is in the report by itself, and may be the one they belong to.
  const session = await findSessionFile(files, layout, id, nameOf(kept)).catch(() => undefined);
  const damageOf = ({ path }: KeptFile, records: string): Damage => {
    const reason = `${records} of ${nameOf(kept)} were acknowledged and are kept here, not in the session`;
    return { file: path, offset: 0, bytes: 0, kind: "corrupt", reason };
  };
  if (session === undefined) {
    const isRemoved = (await files.stat(removedPath(layout, id))) !== undefined;
    const left =
      "no readable file of that key in the store has their session's id; put it back and repair again, or move this file out";
    const damage = isRemoved
      ? []
      : kept.map((each) => ({ ...damageOf(each, describeRecords(each.records)), left }));
    return { id, kept, session, damage, isRestorable: false, isInsertable: false };
  }
  const { header } = session;
  const { key } = header;
  const { add, insert, absent, there, fits } = await useFile(
    await files.open(session.path, "read"),
    async (file) => {
      const { size } = await file.stat();
      const { fits: patches, journaled } = await judgeJournals(
        place,
        file,
        patchedSource(file, size, []),
        header,
      );
      const source = patchedSource(file, size, patches);
      return (await fitJournals(place, source, header, journaled, kept)).fitted;
    },
  );
  const damage = kept
    .filter(({ path }) => !there.has(path))
    .map((each) => {
      if (!areWhole(each.records)) return { ...spoiled(each.path, nameOf(kept)), key };
      const damage = damageOf(each, describeLines(absent.get(each.path) ?? []));
      return { ...damage, key, ...(fits.has(each.path) ? {} : { left: keptLeft(session.path, each.path) }) };
    });
  return { id, kept, session, damage, isRestorable: add.length > 0, isInsertable: insert.length > 0 };
}

function spoiled(file: string, name: FileName): Damage {
  const reason = `acknowledged records of ${name} are kept here, and lines of it are damaged: which records those were is not known`;
  return { file, offset: 0, bytes: 0, kind: "corrupt", reason, left: damagedKeptLeft(file) };
}

function nameOf(kept: readonly KeptFile[]): FileName {
  const name = kept[0]?.records[0]?.name;
  if (name === undefined) throw new Error("a file of kept records has at least one");
  return name;
}

/**
 * Puts what fits behind the session's last record. The caller is alone with the session, and has nothing of it open.
 * Answers with where the copies are now whose records are all in the session. Killed at any point, it can be done again.
 */
export async function restoreKeptRecords(
  deps: RepairDeps,
  { kept, session }: CheckedRecords,
): Promise<string[]> {
  const { files, layout } = deps;
  if (session === undefined) return [];
  const { key } = session.header;
  // Opened as a writer opens it: a torn tail is kept aside and cut before anything is put behind it.
  const log = await openSessionForWriting({
    files,
    path: session.path,
    key,
    segments: layout.segments,
    sealedPatches: deps.sealedPatches,
    damagedDirectory: layout.damaged,
    checkMayChange: async () => await deps.checkMayChange(),
    temporaryPath: () => deps.temporaryPath(),
    replaceBy: async (temporary) => {
      await deps.checkMayChange();
      await files.rename(temporary, session.path);
      await deps.syncNames(dirname(session.path));
      await deps.syncNames(layout.temporary);
    },
    onDamage: () => undefined,
    // Told of its mode, which is right from then on: the repair reports what was wrong with the records.
    onError: () => undefined,
  });
  await log?.close();
  const done = await useFile(await files.open(session.path, "write"), async (file) => {
    const { add, fits } = await fitKeptInto({ files, layout }, file, session.header, kept);
    if (add.length > 0) {
      await deps.checkMayChange();
      await writeFully(file, Buffer.concat(add), (await file.stat()).size);
    }
    await file.sync();
    return fits;
  });
  const restored: string[] = [];
  for (const path of done) restored.push(await markRestored(files, layout, path));
  return restored;
}
