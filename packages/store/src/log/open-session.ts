/**
 * Opens a session file. Reading never changes it. A writer may: only the one who holds the lease can tell a torn tail
 * from a record that is still being landed, and cuts it, after its bytes are kept aside.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem, OpenFile } from "../host/host.ts";
import { errorCode, ioError } from "../host/io-error.ts";
import { writeFully } from "../host/write-fully.ts";
import type { Damage } from "../record/session-record.ts";
import type { ScanDamage } from "../record/scan.ts";
import { patchedSource } from "./byte-source.ts";
import { keepAside } from "./keep-aside.ts";
import { scanLog, type ScannedLog, type ScanOutcome } from "./scan-log.ts";
import { SessionLog } from "./session-log.ts";

export interface SessionPlace {
  readonly files: FileSystem;
  readonly path: string;
  readonly key: string;
  /** Where damaged bytes are kept. */
  readonly damagedDirectory: string;
  readonly onDamage: (damage: Damage) => void;
}

/** `undefined`: there is no such file. */
export async function openSessionForWriting(place: SessionPlace): Promise<SessionLog | undefined> {
  const file = await openFile(place, "write");
  if (file === undefined) return undefined;
  try {
    const scanned = checkOutcome(await scanLog(patchedSource(file, (await file.stat()).size, [])), place);
    reportDamage(scanned, place);
    const mended = await mendTail(file, scanned, place);
    // Before the first journal record for it: what the record's place relies on must be on the disk.
    await file.sync();
    return new SessionLog(place.path, file, mended);
  } catch (error) {
    // The failure that led here is the one to tell, whatever closing says.
    await file.close().catch(() => undefined);
    throw ioError(error, "opening the session", place.path);
  }
}

export async function openFile(
  place: { files: FileSystem; path: string },
  mode: "read" | "write",
): Promise<OpenFile | undefined> {
  try {
    return await place.files.open(place.path, mode);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw ioError(error, "opening the session", place.path);
  }
}

/** The log, or the reason why this file cannot be that key's. */
export function checkOutcome(outcome: ScanOutcome, { path, key }: { path: string; key: string }): ScannedLog {
  if (outcome.kind === "too-new") {
    throw new LonghandError(
      "FORMAT_TOO_NEW",
      `${path} has format ${outcome.version}, which is newer than this version of Longhand; update it to read this session`,
      { file: path, key, version: outcome.version },
    );
  }
  if (outcome.kind === "bad") {
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${path} is not readable as a session: ${outcome.reason}. The file was left as it is: mend its first line from a backup, or move it away`,
      {
        file: path,
        key,
        reason: outcome.reason,
      },
    );
  }
  const { header } = outcome.log;
  if (header.key !== key) {
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${path} belongs to the key ${JSON.stringify(header.key)}, not to ${JSON.stringify(key)}; move it away to use this key`,
      { file: path, key, keyInFile: header.key },
    );
  }
  return outcome.log;
}

export function reportDamage(
  log: ScannedLog,
  { path, key, onDamage }: Pick<SessionPlace, "path" | "key" | "onDamage">,
): void {
  for (const damage of log.damage) onDamage({ ...damage, file: path, key });
}

async function mendTail(file: OpenFile, log: ScannedLog, place: SessionPlace): Promise<ScannedLog> {
  if (log.torn !== undefined) {
    await cutTail(file, log.torn, place);
    return { ...log, torn: undefined };
  }
  if (!log.unterminated) return log;
  await writeFully(file, Buffer.from("\n"), log.end);
  return { ...log, end: log.end + 1, unterminated: false };
}

async function cutTail(file: OpenFile, torn: ScanDamage, place: SessionPlace): Promise<void> {
  await keepAside(place.files, file, torn, place.path, place.damagedDirectory);
  await file.truncate(torn.offset);
  place.onDamage({ ...torn, file: place.path, key: place.key });
}
