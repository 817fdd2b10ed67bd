/** Makes the session file of one source: complete and synced, where nobody reads it yet. */

import { LonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { keepAside } from "../session/keep-aside.ts";
import { serialize } from "../format/serialize.ts";
import { MIGRATED_FROM } from "./migrated-session.ts";
import type { Original, PlannedSession, UntakenLine } from "./migration-plan.ts";
import { stagedPath, type MigrationPlaces } from "./migration-places.ts";
import { readSource } from "./read-source.ts";
import { SessionFileWriter } from "./session-file-writer.ts";
import { toId } from "../format/session-id.ts";

/** The original has every line; the note names so many of those that were not taken over. */
const MAX_NAMED_LINES = 1000;

export async function stageSession(
  files: FileSystem,
  places: MigrationPlaces,
  session: PlannedSession,
): Promise<void> {
  const { key, created } = session;
  const id = toId(session.id);
  await useFile(await files.open(stagedPath(places, id), "create"), async (file) => {
    const writer = new SessionFileWriter(file, { key, id, at: created });
    await writeRecords(writer, files, places, session);
    await writer.finish();
  });
  await keepDamaged(files, places, session);
}

async function writeRecords(
  writer: SessionFileWriter,
  files: FileSystem,
  { directory }: MigrationPlaces,
  session: PlannedSession,
): Promise<void> {
  const { originals, format, skip, updated } = session;
  // Where a message has no time: that of the one before it, else of the file.
  let at = session.originals[0]?.holds === "lines" ? session.created : updated;
  let keepFrom = 1;
  for await (const item of readSource(files, directory, originals, format)) {
    switch (item.kind) {
      case "file":
        checkUnchanged(item.read, session, directory);
        break;
      case "entry":
        await writer.addEntry(item.entry);
        break;
      case "aside":
        await writer.add(item.body, at);
        break;
      case "message":
        at = item.at ?? at;
        await writer.add(item.body, at);
        if (item.rawLine <= skip) keepFrom = writer.state.seq + 1;
        break;
      case "untaken":
      // Planned were other bytes than these: the sums will say so.
      case "ours":
        break;
    }
  }
  const count = writer.state.count - session.hidden;
  if (format !== "longhand-json") {
    if (session.hidden > 0) await writer.add({ op: "truncate", keepFrom, count }, updated);
    if (session.summary !== "") await writer.add({ op: "summary", summary: session.summary }, updated);
  }
  await writer.add({ op: "note", kind: MIGRATED_FROM, json: noteOf(session) }, updated);
}

function noteOf(session: PlannedSession): string {
  const { format, originals, given, untaken, remarks, putAside } = session;
  const note = {
    format,
    files: originals.map(({ name, size, sha256 }) => ({ name, bytes: size, sha256 })),
    given,
    ...(putAside === undefined ? {} : { putAside }),
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(untaken.length === 0
      ? {}
      : { untakenLines: untaken.length, untaken: untaken.slice(0, MAX_NAMED_LINES) }),
  };
  return serialize(note, "what is known of the session's origin");
}

function checkUnchanged(read: Original, { originals }: PlannedSession, directory: string): void {
  const planned = originals.find(({ name }) => name === read.name);
  if (planned?.sha256 !== read.sha256) throw changedMeanwhile(`${directory}/${read.name}`);
}

export function changedMeanwhile(file: string): LonghandError {
  return new LonghandError(
    "IO_FAILED",
    `${file} was changed while it was migrated; nothing was migrated. Stop the program that writes it and open the store again`,
    { file },
  );
}

/** Neighbours together: a run of bad lines is one copy. */
async function keepDamaged(
  files: FileSystem,
  { directory, damaged }: MigrationPlaces,
  { untaken }: PlannedSession,
): Promise<void> {
  const ranges: { file: string; offset: number; bytes: number }[] = [];
  for (const { file, offset, bytes } of untaken.filter((line) => line.bytes > 0)) {
    const last = ranges.at(-1);
    // One byte between them is the newline.
    const isNext = last?.file === file && offset - (last.offset + last.bytes) <= 1;
    if (isNext) last.bytes = offset + bytes - last.offset;
    else ranges.push({ file, offset, bytes });
  }
  for (const { file, ...range } of ranges) {
    const path = `${directory}/${file}`;
    await useFile(
      await files.open(path, "read"),
      async (from) => await keepAside(files, from, range, path, damaged),
    );
  }
}

export function damageOf(
  { file, offset, bytes, kind, reason }: UntakenLine,
  directory: string,
  key: string,
): {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly kind: "torn" | "corrupt";
  readonly reason: string;
  readonly key: string;
} {
  return { file: `${directory}/${file}`, offset, bytes, kind, reason, key };
}
