/**
 * Records that were kept aside because they did not fit their session's file: whether they are in it by now, fit behind
 * its last record, or belong to a history that it has not gone on with. Only those that fit are put back, and only by a
 * repair; the others stay where they are, and are reported.
 */

import { dirname } from "node:path";
import type { OpenFile } from "../../../host/host.ts";
import { useFile } from "../../../host/use-file.ts";
import { writeFully } from "../../../host/write-fully.ts";
import type { JournalRecord } from "../../../journal/block.ts";
import { patchedSource } from "../../../log/byte-source.ts";
import { firstSeqOf } from "../../../log/log-part.ts";
import { openSessionForWriting } from "../../../log/open-session.ts";
import { readLines } from "../../../log/read-lines.ts";
import { decodeLine } from "../../../record/decode.ts";
import type { Header } from "../../../record/header.ts";
import { fileNameOf } from "../../../record/key.ts";
import { lastSum } from "../../../record/last-sum.ts";
import { openSealedLine } from "../../../record/seal.ts";
import type { Damage } from "../../../record/session-record.ts";
import { findSessionFile, type FoundSessionFile } from "../files/find-session-file.ts";
import {
  describeRecords,
  keptRecordFiles,
  linesOf,
  markRestored,
  readKeptRecords,
  type KeptLine,
} from "../files/kept-records.ts";
import { removedPath } from "../files/layout.ts";
import type { RepairSurroundings } from "./repair-segment.ts";
import type { VerifyPlace } from "./verify-session.ts";

export interface CheckedRecords {
  readonly path: string;
  readonly records: readonly JournalRecord[];
  /** The session's file; `undefined`: it has none. */
  readonly session: FoundSessionFile | undefined;
  readonly damage: Damage;
}

type KeptPlace = Pick<VerifyPlace, "files" | "layout">;

/** All that are kept and are in no session, nor of one that was removed for good. `keys`: only of these. */
export async function checkKeptRecords(
  place: KeptPlace,
  keys: ReadonlySet<string> | undefined,
): Promise<CheckedRecords[]> {
  const checked: CheckedRecords[] = [];
  const names = keys === undefined ? undefined : new Set<string>([...keys].map(fileNameOf));
  for (const path of await keptRecordFiles(place.files, place.layout)) {
    const found = await checkFile(place, path);
    if (found !== undefined && (names === undefined || names.has(found.records[0]?.name ?? "")))
      checked.push(found);
  }
  return checked;
}

async function checkFile(place: KeptPlace, path: string): Promise<CheckedRecords | undefined> {
  const { files, layout } = place;
  const records = await readKeptRecords(files, path);
  const [first] = records ?? [];
  const found = { file: path, offset: 0, bytes: 0, kind: "corrupt" } as const;
  if (records === undefined || first === undefined) {
    const reason = "records were kept here, and cannot be read any more";
    const left = "nothing can be put back from it; move it out of the store";
    return { path, records: [], session: undefined, damage: { ...found, reason, left } };
  }
  const reason = `${describeRecords(records)} of ${first.name} were acknowledged and are kept here, not in the session`;
  const session = await findSessionFile(files, layout, first.session, first.name);
  if (session === undefined) {
    if ((await files.stat(removedPath(layout, first.session))) !== undefined) return undefined;
    const left =
      "no file in the store has their session's id; put it back and repair again, or move this file out";
    return { path, records, session, damage: { ...found, reason, left } };
  }
  const { key } = session.header;
  const fit = await useFile(
    await files.open(session.path, "read"),
    async (file) => await fitLines(file, session.header, linesOf(records)),
  );
  if (fit === "there") return undefined;
  const damage = { ...found, reason, key };
  const left = `${session.path} has gone on without them, or lacks records before them; take what you need from here and move this file out of the store`;
  return { path, records, session, damage: fit === "left" ? { ...damage, left } : damage };
}

/** The lines to add, in order; "there": the file has them all; "left": it holds something else in their place. */
async function fitLines(
  file: OpenFile,
  header: Header,
  lines: readonly KeptLine[],
): Promise<readonly KeptLine[] | "there" | "left"> {
  const source = patchedSource(file, (await file.stat()).size, []);
  const sums = new Map<number, string | undefined>();
  const wanted = new Set(lines.map(({ seq }) => seq));
  let lastSeq = firstSeqOf(header) - 1;
  let sumBefore: string | undefined;
  for await (const chunk of readLines(source, 0, source.size)) {
    for (const { content, offset } of chunk) {
      if (content === undefined || openSealedLine(content, offset === 0 ? "" : header.id) === undefined)
        continue;
      sumBefore = sumOf(content);
      const decoded = decodeLine(content, header.id);
      if (decoded.kind === "lost") lastSeq = Math.max(lastSeq, decoded.last);
      if (decoded.kind !== "entry") continue;
      lastSeq = Math.max(lastSeq, decoded.entry.seq);
      if (wanted.has(decoded.entry.seq)) sums.set(decoded.entry.seq, sumBefore);
    }
  }
  const isThere = ({ seq, line }: KeptLine): boolean => sums.get(seq) === lastSum(line);
  const missing = lines.filter((line) => !isThere(line));
  const [first] = missing;
  if (first === undefined) return "there";
  const inOrder = missing.every(({ seq }, index) => seq === lastSeq + 1 + index);
  const isAnchored =
    lines.some((line) => line.seq === lastSeq && isThere(line)) ||
    (first.after !== undefined && first.after === sumBefore);
  return inOrder && isAnchored ? missing : "left";
}

function sumOf(content: Buffer): string | undefined {
  return lastSum(Buffer.concat([content, Buffer.from("\n")]));
}

/**
 * Puts them back behind the session's last record. The caller is alone with the session, and has nothing of it open.
 * Answers with where the copy is now; `undefined`: they did not fit any more. Killed at any point, it can be done again.
 */
export async function restoreKeptRecords(
  around: RepairSurroundings,
  { path, records, session }: CheckedRecords,
): Promise<string | undefined> {
  const { files, layout } = around;
  if (session === undefined) return undefined;
  const { key } = session.header;
  // Opened as a writer opens it: a torn tail is kept aside and cut before anything is put behind it.
  const log = await openSessionForWriting({
    files,
    path: session.path,
    key,
    segments: layout.segments,
    damagedDirectory: layout.damaged,
    checkMayChange: async () => await around.checkMayChange(),
    temporaryPath: () => around.temporaryPath(),
    replaceBy: async (temporary) => {
      await around.checkMayChange();
      await files.rename(temporary, session.path);
      await around.syncNames(dirname(session.path));
    },
    onDamage: () => undefined,
  });
  await log?.close();
  const isDone = await useFile(await files.open(session.path, "write"), async (file) => {
    const lines = await fitLines(file, session.header, linesOf(records));
    if (lines === "left") return false;
    if (lines !== "there") {
      await around.checkMayChange();
      await writeFully(file, Buffer.concat(lines.map(({ line }) => line)), (await file.stat()).size);
    }
    await file.sync();
    return true;
  });
  return isDone ? await markRestored(files, layout, path) : undefined;
}
