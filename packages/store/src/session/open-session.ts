/**
 * Opens a session's active file. Reading never changes it. A writer may: only the one who holds the lease can tell a
 * torn tail from a record that is still being landed, and cuts it, after its bytes are kept aside.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem, OpenFile } from "../host/host.ts";
import { errorCode, ioError } from "../host/io-error.ts";
import { removeIfThere } from "../host/small-files.ts";
import { writeFully } from "../host/write-fully.ts";
import { reasonText } from "../format/damage-reason.ts";
import { EMPTY_STATE, type SessionState } from "../format/fold.ts";
import { FORMAT_VERSION } from "../format/format.ts";
import type { Header } from "../format/header.ts";
import { lastSum, LINE_END_BYTES } from "../format/last-sum.ts";
import type { Damage } from "../format/session-record.ts";
import type { ScanDamage } from "../format/scan.ts";
import { toDamage } from "../format/to-damage.ts";
import { patchedSource, type Patch } from "./byte-source.ts";
import { copyRange } from "./copy-range.ts";
import { keepAside } from "./keep-aside.ts";
import { firstSeqOf, partsOf } from "./log-part.ts";
import { openSegment } from "./open-segment.ts";
import { stateAfter } from "./read-entries.ts";
import { scanTail, type ScannedTail, type TailOutcome } from "./scan-tail.ts";
import type { SealedPatches } from "./sealed-source.ts";
import { segmentPath } from "./segment-path.ts";
import { SessionLog } from "./session-log.ts";
import { sumBytes } from "./sum-bytes.ts";
import { promised } from "../host/promised.ts";

export interface SessionPlace {
  readonly files: FileSystem;
  readonly path: string;
  /** Whose session it should be; `undefined`: whoever's it is. */
  readonly key: string | undefined;
  /** Where sealed files lie. */
  readonly segments: string;
  /** Asked only if the state must be worked out from sealed files. */
  readonly sealedPatches: SealedPatches;
  readonly onDamage: (damage: Damage) => void;
}

export interface WritablePlace extends SessionPlace {
  readonly key: string;
  /** Where damaged bytes are kept. */
  readonly damagedDirectory: string;
  /** Right before its end is changed: rejects if that may be another's by now. */
  readonly checkMayChange: () => Promise<void>;
  /** A name for a file that is being written; no two are the same. */
  readonly temporaryPath: () => string;
  /** Gives the name of the session's file to this one, durably; rejects if this instance was taken over. */
  readonly replaceBy: (temporary: string) => Promise<void>;
  /** Told that others could reach the file, which is no damage. */
  readonly onError: (error: LonghandError) => void;
}

/** `undefined`: there is no such file. */
export async function openSessionForWriting(place: WritablePlace): Promise<SessionLog | undefined> {
  let file = await openFile(place, "write");
  if (file === undefined) return undefined;
  try {
    const scanned = await scanFile(place, file, []);
    checkWritable(scanned.header, place);
    await keepPrivate(file, place);
    if (scanned.torn !== undefined) file = await cutTail(file, scanned.torn, place);
    const tail = await endLine(file, { ...scanned, torn: undefined }, place);
    // Before the first journal record for it: what the record's place relies on must be on the disk.
    await file.sync();
    const source = patchedSource(file, (await file.stat()).size, []);
    const { sum, offset } = tail.checkpoint;
    const sumOfAll = await sumBytes(source, sum, offset, tail.end);
    return new SessionLog(place.path, file, tail, sumOfAll, await sumOfLineBefore(file, tail.end));
  } catch (error) {
    // The failure that led here is the one to tell, whatever closing says.
    const opened = file;
    await promised(() => opened.close()).catch(() => undefined);
    throw ioError(error, "opening the session", place.path);
  }
}

async function sumOfLineBefore(file: OpenFile, end: number): Promise<string | undefined> {
  const buffer = Buffer.alloc(Math.min(LINE_END_BYTES, end));
  return lastSum(buffer.subarray(0, await file.read(buffer, end - buffer.length)));
}

/** The end of the file with these records laid over it, which fit it. Damage is reported. */
export async function scanFile(
  place: SessionPlace,
  file: OpenFile,
  patches: readonly Patch[],
): Promise<ScannedTail> {
  const source = patchedSource(file, (await file.stat()).size, patches);
  const outcome = await scanTail(source, async (header) => await stateOfChain(place, header));
  const tail = checkOutcome(outcome, place);
  for (const damage of tail.damage) place.onDamage(toDamage(damage, place.path, tail.header.key));
  return tail;
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

/** The state with which a file begins whose own checkpoint is not readable. */
async function stateOfChain(place: SessionPlace, header: Header): Promise<SessionState> {
  const seq = firstSeqOf(header) - 1;
  if (seq === 0) return EMPTY_STATE;
  const parts = partsOf(header, 0, seq);
  const onDamage = (damage: ScanDamage, path: string): void =>
    place.onDamage(toDamage(damage, path, header.key));
  return await stateAfter(
    {
      parts,
      onDamage,
      openPart: async (part) => {
        const path = segmentPath(place.segments, header.id, part.file);
        const patches = await place.sealedPatches({ id: part.writtenBy, file: part.file });
        return await openSegment(place.files, path, part, onDamage, patches);
      },
    },
    seq,
  );
}

/** The tail, or the reason why this file cannot be that key's. */
function checkOutcome(outcome: TailOutcome, { path, key }: SessionPlace): ScannedTail {
  if (outcome.kind === "too-new") throw tooNew(path, key, outcome.version, "read");
  if (outcome.kind === "bad") {
    const reason = reasonText(outcome.reason);
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${path} is not readable as a session: ${reason}. The file was left as it is: longhand verify says whether a repair can mend it; if not, put it back from a copy or move it away`,
      { file: path, key, reason },
    );
  }
  const { header } = outcome.tail;
  if (key !== undefined && header.key !== key) {
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${path} belongs to the key ${JSON.stringify(header.key)}, not to ${JSON.stringify(key)}; move it away to use this key`,
      { file: path, key, keyInFile: header.key },
    );
  }
  return outcome.tail;
}

function checkWritable({ version }: Header, { path, key }: SessionPlace): void {
  if (version > FORMAT_VERSION) throw tooNew(path, key, version, "write to");
}

function tooNew(path: string, key: string | undefined, version: number, what: string): LonghandError {
  return new LonghandError(
    "FORMAT_TOO_NEW",
    `${path} has format ${version}, which is newer than this version of Longhand; update it to ${what} this session`,
    { file: path, key, version },
  );
}

const OTHERS = 0o077;

/** A copy, or an editor, may have let others in. */
async function keepPrivate(file: OpenFile, { path, key, onError }: WritablePlace): Promise<void> {
  const { mode } = await file.stat();
  if ((mode & OTHERS) === 0) return;
  await file.makePrivate();
  const octal = mode.toString(8);
  const message = `${path} had mode ${octal}, with which other users could reach it; it has mode 600 now. That is no damage. Copy session files with: cp -p`;
  onError(new LonghandError("DIRECTORY_UNSAFE", message, { file: path, key, mode: octal }));
}

/** Should another have taken over meanwhile, it has put the same byte at the same place. */
async function endLine(file: OpenFile, tail: ScannedTail, place: WritablePlace): Promise<ScannedTail> {
  if (!tail.unterminated) return tail;
  await place.checkMayChange();
  await writeFully(file, Buffer.from("\n"), tail.end);
  return { ...tail, end: tail.end + 1, unterminated: false };
}

/**
 * By a copy that takes the place of the file: were the file itself cut, by an instance that was stopped before that for so
 * long that it was taken over, what others have appended since would be cut off. Answers with the new file.
 */
async function cutTail(file: OpenFile, torn: ScanDamage, place: WritablePlace): Promise<OpenFile> {
  const { files, path, key } = place;
  const kept = await keepAside(files, file, torn, path, place.damagedDirectory);
  const temporary = place.temporaryPath();
  const copy = await files.open(temporary, "create");
  try {
    await copyRange(file, { offset: 0, bytes: torn.offset }, copy);
    await copy.sync();
    await place.replaceBy(temporary);
  } catch (error) {
    // The failure that led here is the one to tell; what is left over is removed by the next who opens the store.
    await promised(() => copy.close()).catch(() => undefined);
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
  place.onDamage({ ...toDamage(torn, path, key), kept });
  // It has no name any more; whether it can be closed changes nothing.
  await promised(() => file.close()).catch(() => undefined);
  return copy;
}
