/**
 * Takes over the journals of dead instances, before anything is written: every record is put at its place again, over
 * what is there, and synced; then the journal is emptied durably and removed. Nothing is skipped because it seems to be
 * there already, and nothing is cut: what lies behind is judged by whoever opens the session for writing.
 *
 * Killed at any point, the next one begins again at the first step. The caller holds the writer lease: it is the lock
 * under which only one adopts.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem, Host } from "../../host/host.ts";
import { placeMark, removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import type { JournalRecord } from "../../journal/block.ts";
import { groupBySession } from "../../journal/group-by-session.ts";
import { encodeHead, HEAD_BYTES, headPosition, isNewerJournal } from "../../journal/head.ts";
import { readJournal, type JournalContents } from "../../journal/read-journal.ts";
import { keepAside } from "../../log/keep-aside.ts";
import type { Damage } from "../../record/session-record.ts";
import { findSessionFile } from "./find-session-file.ts";
import { fencePath, JOURNAL_SUFFIX, journalPath, socketPath, type Layout } from "./layout.ts";

export async function adoptJournals(
  host: Host,
  layout: Layout,
  onDamage: (damage: Damage) => void,
): Promise<void> {
  const instances = await listInstances(host.files, layout);
  for (const instance of instances) await adoptJournal(host.files, layout, instance, onDamage);
  await removeMarks(host, layout);
}

export async function listInstances(files: FileSystem, { journals }: Layout): Promise<string[]> {
  const names = await files.readDirectory(journals);
  return names
    .filter((name) => name.endsWith(JOURNAL_SUFFIX))
    .map((name) => name.slice(0, -JOURNAL_SUFFIX.length));
}

async function adoptJournal(
  files: FileSystem,
  layout: Layout,
  instance: string,
  onDamage: (damage: Damage) => void,
): Promise<void> {
  const path = journalPath(layout, instance);
  // Before anything is changed: what a newer version has left is left to it.
  await syncAndReadJournal(files, path);
  // Before reading: if its owner lives after all, it sees this and stops, and answers for nothing we did not read.
  await placeMark(files, fencePath(layout, instance));
  const found = await syncAndReadJournal(files, path);
  const lost = found.kind === "journal" ? await replay(files, layout, found.contents.records) : undefined;
  const problem = lost ?? problemOf(found);
  if (problem !== undefined) await setAside(files, layout, path, problem, onDamage);
  if (found.kind === "journal") await emptyJournal(files, path, found.contents);
  await removeIfThere(files, path);
  await removeIfThere(files, socketPath(layout, instance));
  await files.syncDirectory(layout.journals);
  await removeIfThere(files, fencePath(layout, instance));
}

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
  const contents = readJournal(bytes);
  // Files after the first of a session are a newer version's too.
  if (isNewerJournal(bytes) || contents?.records.some(({ file }) => file !== 0) === true) throw tooNew(path);
  if (contents !== undefined) return { kind: "journal", contents };
  return { kind: bytes.length > HEAD_BYTES ? "unreadable" : "unborn" };
}

function tooNew(path: string): LonghandError {
  const message = `${path} was written by a newer version of Longhand and holds records that this one cannot place; open the store with that version once`;
  return new LonghandError("FORMAT_TOO_NEW", message, { file: path });
}

/** Puts every record at its place. Answers with a description of those that have none. */
async function replay(
  files: FileSystem,
  layout: Layout,
  records: readonly JournalRecord[],
): Promise<string | undefined> {
  const lost: string[] = [];
  for (const [session, own] of groupBySession(records)) {
    const name = own[0]?.name ?? "";
    const path = (await findSessionFile(files, layout, session, name))?.path;
    if (path === undefined) lost.push(`${own.length} records of session ${session} (${name})`);
    else await replayInto(files, path, own);
  }
  return lost.length === 0 ? undefined : `no file for ${lost.join(", ")}`;
}

async function replayInto(files: FileSystem, path: string, records: readonly JournalRecord[]): Promise<void> {
  await useFile(await files.open(path, "write"), async (file) => {
    for (const { offset, bytes } of records) await writeFully(file, bytes, offset);
    await file.sync();
  });
}

/** Empty even if its removal is undone: the next generation in its head, durably. */
async function emptyJournal(files: FileSystem, path: string, { head }: JournalContents): Promise<void> {
  const generation = head.generation + 1;
  await useFile(await files.open(path, "write"), async (file) => {
    await writeFully(file, encodeHead({ ...head, generation }), headPosition(generation));
    await file.sync();
  });
}

async function setAside(
  files: FileSystem,
  layout: Layout,
  path: string,
  reason: string,
  onDamage: (damage: Damage) => void,
): Promise<void> {
  await useFile(await files.open(path, "read"), async (file) => {
    const bytes = (await file.stat()).size;
    await keepAside(files, file, { offset: 0, bytes }, path, layout.damaged);
    onDamage({ file: path, offset: 0, bytes, kind: "corrupt", reason });
  });
}

/** Sockets and fences whose journals are gone, left by a crash between two steps of a takeover. */
async function removeMarks({ files, processes }: Host, { journals }: Layout): Promise<void> {
  for (const name of await files.readDirectory(journals)) {
    const path = `${journals}/${name}`;
    const isDeadSocket = name.endsWith(".sock") && (await processes.probe(path)) === "refused";
    if (isDeadSocket || name.endsWith(".fence")) await removeIfThere(files, path);
  }
}
