/** Journals whose owners are dead: what is in them, and what of it is laid over the session files by those who read. */

import { LonghandError } from "../../../errors.ts";
import type { FileSystem } from "../../../host/host.ts";
import { errorCode } from "../../../host/io-error.ts";
import { useFile } from "../../../host/use-file.ts";
import { HEAD_BYTES, isNewerJournal } from "../../../journal/head.ts";
import { readJournal, type JournalContents } from "../../../journal/read-journal.ts";
import type { Patch } from "../../../log/byte-source.ts";
import type { Damage } from "../../../record/session-record.ts";
import { journalPath, type Layout } from "../files/layout.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import type { Id } from "../../../record/session-id.ts";

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

/** Synced first: nothing may be shown or landed that a power cut could still take back. */
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

/** What these instances have acknowledged, for each file of a session. One that was recovered meanwhile has landed. */
export async function readUnlanded(
  files: FileSystem,
  layout: Layout,
  instances: readonly Id[],
  onDamage: (damage: Damage) => void,
): Promise<ReadPlace["patchesOf"]> {
  const unlanded = new Map<string, Patch[]>();
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
    for (const { session, file, offset, bytes, after } of found.contents.records) {
      const place = placeOf(session, file);
      const patches = unlanded.get(place);
      if (patches === undefined) unlanded.set(place, [{ offset, bytes, after }]);
      else patches.push({ offset, bytes, after });
    }
  }
  return ({ id, file }) => unlanded.get(placeOf(id, file)) ?? [];
}

function placeOf(session: string, file: number): string {
  return `${session}/${file}`;
}

function tooNew(path: string): LonghandError {
  const message = `${path} was written by a newer version of Longhand and holds records that this one cannot place; open the store with that version once`;
  return new LonghandError("FORMAT_TOO_NEW", message, { file: path });
}
