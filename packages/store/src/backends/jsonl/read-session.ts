/** A session file as a reader without a lease gets it: opened, scanned, closed; opened again when entries are read. */

import { LonghandError } from "../../errors.ts";
import type { FileSystem, OpenFile } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { useFile } from "../../host/use-file.ts";
import { patchedSource, type Patch } from "../../log/byte-source.ts";
import { checkOutcome, openFile, reportDamage } from "../../log/open-session.ts";
import { readEntries, type ReadableLog } from "../../log/read-entries.ts";
import { scanLog } from "../../log/scan-log.ts";
import type { Header } from "../../record/encode.ts";
import type { Entry } from "../../record/entry.ts";
import { fileNameOf } from "../../record/key.ts";
import { sessionInfo } from "../../record/session-info.ts";
import type { Damage } from "../../record/session-record.ts";
import type { EntryRange, Snapshot } from "../../store/backend.ts";
import { findSessionFile, headerIn, MAX_HEADER_BYTES, type SessionFile } from "./find-session-file.ts";
import type { Layout } from "./layout.ts";

export interface ReadPlace {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** Acknowledged records of a session that may not be in its file yet. */
  readonly patchesOf: (sessionId: string) => readonly Patch[];
  readonly onDamage: (damage: Damage) => void;
  readonly onError: (error: LonghandError) => void;
}

/** `key`: whose session it should be; `undefined`: whoever's it is. Answers `undefined` if there is no such file. */
export async function readSession(
  place: ReadPlace,
  file: Pick<SessionFile, "path" | "status">,
  key: string | undefined,
): Promise<Snapshot | undefined> {
  const opened = await openFile({ files: place.files, path: file.path }, "read");
  if (opened === undefined) return undefined;
  try {
    return await useFile(opened, async () => await scanSession(place, file, opened, key));
  } catch (error) {
    throw ioError(error, "reading the session", file.path);
  }
}

/** The entries of a session by its id, wherever its file has gone since it was scanned. */
export async function* readEntriesById(
  place: ReadPlace,
  log: ReadableLog,
  range: EntryRange,
): AsyncIterable<Entry> {
  const { id, key } = log.header;
  const opened = await openById(place, log.header);
  if (opened === undefined) {
    throw new LonghandError(
      "SESSION_NOT_FOUND",
      `the session ${JSON.stringify(key)} was deleted while it was read`,
      { key, id },
    );
  }
  try {
    yield* readEntries(patchedSource(opened, (await opened.stat()).size, place.patchesOf(id)), log, range);
  } finally {
    await opened.close();
  }
}

async function scanSession(
  place: ReadPlace,
  { path, status }: Pick<SessionFile, "path" | "status">,
  file: OpenFile,
  expectedKey: string | undefined,
): Promise<Snapshot> {
  const header = await peekHeader(file);
  const patches = header === undefined ? [] : place.patchesOf(header.id);
  const source = patchedSource(file, (await file.stat()).size, patches);
  const key = expectedKey ?? header?.key ?? "";
  const log = checkOutcome(await scanLog(source), { path, key });
  reportDamage(log, { path, key, onDamage: place.onDamage });
  return {
    info: sessionInfo(log.header, log.state, log.end, log.damage.length, status),
    state: log.state,
    entries: (range) => readEntriesById({ ...place, patchesOf: () => patches }, log, range),
  };
}

/** It may be put away and brought back while we look: so often in a row that we miss it each time is not believable. */
const LOOKS = 20;

async function openById({ files, layout }: ReadPlace, { id, key }: Header): Promise<OpenFile | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const found = await findSessionFile(files, layout, id, fileNameOf(key));
    const opened = found === undefined ? undefined : await openFile({ files, path: found.path }, "read");
    if (opened === undefined) continue;
    if ((await peekHeader(opened))?.id === id) return opened;
    // Moved in between, and another session of the key is in its place.
    await opened.close();
  }
  return undefined;
}

async function peekHeader(file: OpenFile): Promise<Header | undefined> {
  const start = Buffer.allocUnsafe(MAX_HEADER_BYTES);
  return headerIn(start.subarray(0, await file.read(start, 0)));
}
