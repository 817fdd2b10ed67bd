/** A session as a reader without a lease gets it: opened, scanned, closed; opened again when entries are read. */

import { LonghandError } from "../../errors.ts";
import type { FileSystem, OpenFile } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { useFile } from "../../host/use-file.ts";
import { patchedSource, type Patch, type PatchesOf } from "../../session/byte-source.ts";
import { fitRecords } from "../../session/fit-records.ts";
import { bytesOf, firstKeptSeq, partsOf, type LogPart, type OpenedPart } from "../../session/log-part.ts";
import { openSegment } from "../../session/open-segment.ts";
import { openFile, scanFile, type SessionPlace } from "../../session/open-session.ts";
import { readEntries, stateAfter, type ReadableLog } from "../../session/read-entries.ts";
import type { ScannedTail } from "../../session/scan-tail.ts";
import type { SealedPatches } from "../../session/sealed-source.ts";
import { segmentPath } from "../../session/segment-path.ts";
import type { SessionState } from "../../format/fold.ts";
import type { Header } from "../../format/header.ts";
import { fileNameOf } from "../../format/key.ts";
import { sessionInfo } from "../../format/session-info.ts";
import type { Damage, SessionInfo } from "../../format/session-record.ts";
import type { ScanDamage } from "../../format/scan.ts";
import { toDamage } from "../../format/to-damage.ts";
import type { Snapshot } from "../../contract/backend.ts";
import { findSessionFile, peekHeader, type SessionFile } from "../files/find-session-file.ts";
import { strayDamage } from "../files/stray-records.ts";
import type { Layout } from "../../format/layout.ts";
import { promised } from "../../host/promised.ts";

export interface ReadPlace {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** Acknowledged records that may not be in the session's active file yet. */
  readonly patchesOf: PatchesOf;
  readonly onDamage: (damage: Damage) => void;
  readonly onError: (error: LonghandError) => void;
  /** Somebody may be writing to this key now. Without it nobody here can tell a torn tail from one that grows. */
  readonly mayBeGrowing?: (key: string) => Promise<boolean>;
}

/** `key`: whose session it should be; `undefined`: whoever's it is. Answers `undefined` if there is no such file. */
export async function readSession(
  place: ReadPlace,
  { path, status }: Pick<SessionFile, "path" | "status">,
  key: string | undefined,
): Promise<Snapshot | undefined> {
  const { files, onDamage } = place;
  const opened = await openFile({ files, path }, "read");
  if (opened === undefined) return undefined;
  try {
    return await useFile(opened, async () => {
      const header = await peekHeader(opened);
      const patches = header === undefined ? [] : await fittingPatches(place, opened, path, header);
      const scan = async (): Promise<ScannedTail> =>
        await scanFile(scanPlace(place, path, key), opened, patches);
      const { tail, torn } = await tellTorn(place, await scan(), scan);
      if (torn !== undefined) onDamage(toDamage(torn, path, tail.header.key));
      const log = logOf(place, tail.header, tail.end, tail.state.seq, patches);
      const damaged = tail.damage.length + (torn === undefined ? 0 : 1);
      return snapshotOf(log, tail.header, tail.state, damaged, status);
    });
  } catch (error) {
    throw ioError(error, "reading the session", path);
  }
}

function scanPlace(place: ReadPlace, path: string, key: string | undefined): SessionPlace {
  const { files, layout, patchesOf, onDamage } = place;
  const sealedPatches: SealedPatches = async (file) => await Promise.resolve(patchesOf(file));
  return { files, path, key, segments: layout.segments, sealedPatches, onDamage };
}

/** What a dead process has acknowledged, as far as it fits the file as it is now. The rest is reported. */
async function fittingPatches(
  place: ReadPlace,
  file: OpenFile,
  path: string,
  header: Header,
): Promise<readonly Patch[]> {
  const patches = place.patchesOf(header);
  if (patches.length === 0) return patches;
  const { size } = await file.stat();
  const { fits, strays } = await fitRecords(file, size, header.id, patches);
  const source = patchedSource(file, size, fits);
  const found = { records: patches, strays, missing: [] };
  for (const damage of await strayDamage(place, source, path, header, found)) place.onDamage(damage);
  return fits;
}

/** Looked at twice, with nobody writing before and after: then what is unfinished will stay so. */
async function tellTorn(
  { mayBeGrowing }: ReadPlace,
  first: ScannedTail,
  scanAgain: () => Promise<ScannedTail>,
): Promise<{ readonly tail: ScannedTail; readonly torn?: ScanDamage }> {
  const { key } = first.header;
  if (first.torn === undefined || mayBeGrowing === undefined || (await mayBeGrowing(key)))
    return { tail: first };
  const tail = await scanAgain();
  return tail.torn === undefined || (await mayBeGrowing(key)) ? { tail } : { tail, torn: tail.torn };
}

export function snapshotOf(
  log: ReadableLog,
  header: Header,
  state: SessionState,
  damaged: number,
  status: SessionInfo["status"],
): Snapshot {
  return {
    info: sessionInfo(header, state, bytesOf(log.parts), damaged, status),
    state,
    entries: (range) => readEntries(log, range),
    stateAfter: async (seq) => await stateAfter(log, Math.min(seq, state.seq)),
    firstSeq: firstKeptSeq(log.parts),
  };
}

/** The session's files, wherever they have gone when they are read: sealed, compressed, archived meanwhile. */
function logOf(
  place: ReadPlace,
  header: Header,
  end: number,
  seq: number,
  patches: readonly Patch[],
): ReadableLog {
  return {
    parts: partsOf(header, end, seq),
    onDamage: reportFor(place, header),
    openPart: async (part) => await openPart(place, header, part, patches),
    renew: async () => await renewLog(place, header, seq),
  };
}

/** The log of a session that has other files by now, up to the same record. */
export async function renewLog(place: ReadPlace, before: Header, seq: number): Promise<ReadableLog> {
  const { files, layout } = place;
  for (let look = 0; look < LOOKS; look++) {
    const found = await findSessionFile(files, layout, before.id, fileNameOf(before.key));
    const opened = found === undefined ? undefined : await openFile({ files, path: found.path }, "read");
    if (found === undefined || opened === undefined) continue;
    const log = await useFile(opened, async () => {
      const header = await peekHeader(opened);
      if (header?.id !== before.id) return undefined;
      const patches = await fittingPatches(place, opened, found.path, header);
      const tail = await scanFile(scanPlace(place, found.path, before.key), opened, patches);
      return logOf(place, tail.header, tail.end, Math.min(seq, tail.state.seq), patches);
    });
    if (log !== undefined) return log;
  }
  throw deletedMeanwhile(before);
}

export function reportFor(
  { onDamage }: Pick<ReadPlace, "onDamage">,
  { key }: Pick<Header, "key">,
): (damage: ScanDamage, path: string) => void {
  return (damage, path) => onDamage(toDamage(damage, path, key));
}

/** The active file may have been sealed since: then it is found among the segments, by its number. */
export async function openPart(
  place: ReadPlace,
  header: Header,
  part: LogPart,
  patches: readonly Patch[],
): Promise<OpenedPart | "replaced" | undefined> {
  const { files, layout } = place;
  const report = reportFor(place, header);
  const sealed = segmentPath(layout.segments, header.id, part.file);
  const active = part.sum === undefined ? await openActive(place, header, part.file) : "sealed";
  if (active === "sealed") {
    const found: [ScanDamage, string][] = [];
    const onDamage = (damage: ScanDamage, path: string): unknown => found.push([damage, path]);
    // What its own writer has sealed was synced before; a recovery does not write it again.
    const isOwn = part.writtenBy === header.id;
    const ofWriter = isOwn ? [] : place.patchesOf({ id: part.writtenBy, file: part.file });
    const opened = await openSegment(files, sealed, part, onDamage, ofWriter);
    if (opened === undefined && (await hasOtherFiles(place, header))) return "replaced";
    for (const [damage, path] of found) report(damage, path);
    return opened;
  }
  if (active === undefined) throw deletedMeanwhile(header);
  const { file, path } = active;
  let size = 0;
  await closeUnless(file, async () => {
    ({ size } = await file.stat());
    return true;
  });
  return { path, source: patchedSource(file, size, patches), close: async () => await file.close() };
}

/** The file stays open only if it is what is wanted. */
async function closeUnless(file: OpenFile, isWanted: () => Promise<boolean>): Promise<boolean> {
  try {
    if (await isWanted()) return true;
  } catch (error) {
    await promised(() => file.close()).catch(() => undefined);
    throw error;
  }
  await file.close();
  return false;
}

/** Rejects if it has none any more. */
async function hasOtherFiles({ files, layout }: ReadPlace, header: Header): Promise<boolean> {
  const found = await findSessionFile(files, layout, header.id, fileNameOf(header.key));
  if (found === undefined) throw deletedMeanwhile(header);
  return found.header.file !== header.file;
}

/** It may be put away and brought back while we look: so often in a row that we miss it each time is not believable. */
const LOOKS = 20;

async function openActive(
  { files, layout }: ReadPlace,
  { id, key }: Header,
  number: number,
): Promise<{ file: OpenFile; path: string } | "sealed" | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const found = await findSessionFile(files, layout, id, fileNameOf(key));
    if (found === undefined) continue;
    if (found.header.file > number) return "sealed";
    const file = await openFile({ files, path: found.path }, "read");
    if (file === undefined) continue;
    const isIt = await closeUnless(file, async () => {
      const header = await peekHeader(file);
      return header?.id === id && header.file === number;
    });
    if (isIt) return { file, path: found.path };
    // Moved in between, and another file is in its place.
  }
  return undefined;
}

function deletedMeanwhile({ key, id }: Header): LonghandError {
  const message = `the session ${JSON.stringify(key)} was deleted while it was read`;
  return new LonghandError("SESSION_NOT_FOUND", message, { key, id });
}
