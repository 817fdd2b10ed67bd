/** Journals whose owners are dead: what is in them, and what of it is laid over the session files by those who read. */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { useFile } from "../../host/use-file.ts";
import { HEAD_BYTES, isNewerJournal } from "../../wal/head.ts";
import { groupBySession } from "../../wal/group-by-session.ts";
import { readJournal, type JournalContents } from "../../wal/read-journal.ts";
import type { FilePatch, PatchesOf } from "../../session/byte-source.ts";
import type { Damage } from "../../format/session-record.ts";
import { fileNameOf } from "../../format/key.ts";
import { findSessionFile, tryReadHeader } from "../files/find-session-file.ts";
import type { KeptFile } from "../files/fit-kept-records.ts";
import { describeRecords } from "../files/kept-record-files.ts";
import { journalPath, removedPath, type Layout } from "../../format/layout.ts";
import type { Id } from "../../format/session-id.ts";

export type FoundJournal =
  | { readonly kind: "journal"; readonly contents: JournalContents }
  /** Its owner died before its first block: nothing was ever acknowledged through it. */
  | { readonly kind: "unborn" }
  | { readonly kind: "unreadable" };

/** What no ordinary crash leaves: acknowledged records may be missing. */
export function problemOf(found: FoundJournal): string | undefined {
  if (found.kind === "unreadable") return "neither copy of its head is readable";
  return found.kind === "journal" ? found.contents.damage?.reason : undefined;
}

/** Synced first: nothing may be shown or applied that a power cut could still take back. */
export async function syncAndReadJournal(files: FileSystem, path: string): Promise<FoundJournal> {
  const bytes = await useFile(await files.open(path, "read"), async (file) => {
    await file.sync();
    const buffer = Buffer.allocUnsafe((await file.stat()).size);
    return buffer.subarray(0, await file.read(buffer, 0));
  });
  if (isNewerJournal(bytes)) throw tooNew(path);
  const contents = readJournal(bytes);
  if (contents !== undefined) return { kind: "journal", contents };
  return { kind: bytes.length > HEAD_BYTES ? "unreadable" : "unborn" };
}

/** What these instances have acknowledged, for each file of a session. One that was recovered meanwhile is applied. */
export async function readUnapplied(
  files: FileSystem,
  layout: Layout,
  instances: readonly Id[],
  onDamage: (damage: Damage) => void,
): Promise<PatchesOf> {
  const unapplied = new Map<string, NamedPatch[]>();
  for (const instance of instances) {
    const path = journalPath(layout, instance);
    const found = await syncAndReadJournal(files, path).catch((error: unknown) => {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (found === undefined) continue;
    const reason = problemOf(found);
    if (reason !== undefined) onDamage({ file: path, offset: 0, bytes: 0, kind: "corrupt", reason });
    if (found.kind !== "journal") continue;
    for (const { session, file, name, offset, bytes, after, lostBefore } of found.contents.records) {
      const patches = unapplied.get(session);
      const patch = { name, file, offset, bytes, after, lostBefore, journal: path };
      if (patches === undefined) unapplied.set(session, [patch]);
      else patches.push(patch);
    }
  }
  // Only files that records are for: a number in a damaged header is no bound to count to.
  return ({ id, file, key, isBefore = false }) => {
    const own = key === undefined ? undefined : fileNameOf(key);
    return (unapplied.get(id) ?? []).filter(
      (patch) =>
        (isBefore ? patch.file < file : patch.file === file) && (own === undefined || patch.name === own),
    );
  };
}

interface NamedPatch extends FilePatch {
  /** The name of the session's active file, which its key leads to. */
  readonly name: string;
}

/** Records of one journal and session. */
export interface UnplacedRecords extends KeptFile {
  readonly id: Id;
  /** With `left`: unless a repair mends the header of their session's file, it cannot put them back. */
  readonly damage: Damage;
}

/**
 * Records of these instances whose session has no file, or none with a readable header. A reader has nothing to lay them
 * over; opening the store for writing keeps them aside. `names`: only of these session files.
 */
export async function findRecordsWithoutFile(
  files: FileSystem,
  layout: Layout,
  instances: readonly Id[],
  names?: ReadonlySet<string>,
): Promise<UnplacedRecords[]> {
  const found: UnplacedRecords[] = [];
  for (const instance of instances) {
    const path = journalPath(layout, instance);
    const journal = await syncAndReadJournal(files, path).catch(() => undefined);
    // One that cannot be read is reported by those who read the store.
    if (journal?.kind !== "journal") continue;
    for (const records of groupBySession(journal.contents.records)) {
      const [first] = records;
      if (first === undefined) continue;
      const { session, name } = first;
      if (names?.has(name) === false) continue;
      if ((await files.stat(removedPath(layout, session))) !== undefined) continue;
      const isThere = await findSessionFile(files, layout, session, name).then(
        (file) => file !== undefined,
        // It may be in the file that cannot be read, which is in the report by itself.
        () => true,
      );
      // Recovered meanwhile: then they are kept, and reported there.
      if (isThere || (await files.stat(path)) === undefined) continue;
      const why = (await isUnreadable(files, `${layout.directory}/${name}`))
        ? "whose header cannot be read as it stands"
        : "and no file in the store has that session's id";
      const reason = `a dead process has acknowledged ${describeRecords(records)} of ${name}, ${why}`;
      const left =
        "put the session's file back; opening the store for writing without it keeps them in .longhand/damaged";
      const damage = { file: path, offset: 0, bytes: 0, kind: "corrupt", reason, left } as const;
      found.push({ id: session, path, records, damage });
    }
  }
  return found;
}

/** There is a file whose header says nothing. It may be the one that is meant, and a repair may mend it. */
async function isUnreadable(files: FileSystem, path: string): Promise<boolean> {
  if ((await files.stat(path)) === undefined) return false;
  return (await tryReadHeader(files, path, () => undefined)) === undefined;
}

function tooNew(path: string): LonghandError {
  const message = `${path} was written by a newer version of Longhand and holds records that this one cannot place; open the store with that version once`;
  return new LonghandError("FORMAT_TOO_NEW", message, { file: path });
}
