/** A session file as a reader without a lease gets it: opened, scanned, closed; opened again when entries are read. */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { useFile } from "../../host/use-file.ts";
import { patchedSource, type ByteSource, type Patch } from "../../log/byte-source.ts";
import { checkOutcome, openFile, reportDamage } from "../../log/open-session.ts";
import { readEntries } from "../../log/read-entries.ts";
import { scanLog, type ScannedLog } from "../../log/scan-log.ts";
import type { Entry } from "../../record/entry.ts";
import { sessionInfo } from "../../record/session-info.ts";
import type { Damage } from "../../record/session-record.ts";
import type { EntryRange, Snapshot } from "../../store/backend.ts";
import { headerIn, MAX_HEADER_BYTES } from "./find-session-file.ts";

export interface ReadPlace {
  readonly files: FileSystem;
  readonly path: string;
  /** Whose session it should be; `undefined`: whoever's it is. */
  readonly key: string | undefined;
  /** Acknowledged records of a session that may not be in its file yet. */
  readonly patchesOf: (sessionId: string) => readonly Patch[];
  readonly onDamage: (damage: Damage) => void;
}

/** `undefined`: there is no such file. */
export async function readSession(place: ReadPlace): Promise<Snapshot | undefined> {
  const file = await openFile(place, "read");
  if (file === undefined) return undefined;
  try {
    return await useFile(file, async () => await scanSession(place, file));
  } catch (error) {
    throw ioError(error, "reading the session", place.path);
  }
}

async function scanSession(place: ReadPlace, file: OpenFile): Promise<Snapshot> {
  const header = await peekHeader(file);
  const patches = header === undefined ? [] : place.patchesOf(header.id);
  const source = patchedSource(file, (await file.stat()).size, patches);
  const key = place.key ?? header?.key ?? "";
  const log = checkOutcome(await scanLog(source), { path: place.path, key });
  reportDamage(log, { ...place, key });
  return {
    info: sessionInfo(log.header, log.state, log.end, log.damage.length),
    state: log.state,
    entries: (range) => entriesOf(place, log, patches, range),
  };
}

async function* entriesOf(
  place: ReadPlace,
  log: ScannedLog,
  patches: readonly Patch[],
  range: EntryRange,
): AsyncIterable<Entry> {
  const file = await openFile(place, "read");
  if (file === undefined) return;
  try {
    const source: ByteSource = patchedSource(file, (await file.stat()).size, patches);
    yield* readEntries(source, log, range);
  } finally {
    await file.close();
  }
}

async function peekHeader(
  file: OpenFile,
): Promise<{ readonly id: string; readonly key: string } | undefined> {
  const start = Buffer.allocUnsafe(MAX_HEADER_BYTES);
  return headerIn(start.subarray(0, await file.read(start, 0)));
}
