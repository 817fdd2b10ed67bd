/**
 * Records of a journal that belong in a file that was sealed or rewritten since. All of them were in that file, and synced,
 * before it was sealed: a recovery passes over them. Where another program has edited the file afterwards, the journal may be
 * the only place that still has one.
 */

import type { FileSystem } from "../../host/host.ts";
import type { ByteSource, Patch } from "../../session/byte-source.ts";
import { partsOf, type LogPart } from "../../session/log-part.ts";
import { openSegment } from "../../session/open-segment.ts";
import { segmentPath } from "../../session/segment-path.ts";
import type { Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import { linesOf } from "./kept-record-files.ts";
import { hasRecord, readWholeLines } from "./whole-lines.ts";

interface EarlierRecord extends Patch {
  readonly file: number;
}

interface SessionPlace {
  readonly files: FileSystem;
  readonly layout: Layout;
}

/** Those that are nowhere in the session's files. `active`: its active file; `records`: of earlier ones. */
export async function findMissingEarlier<R extends EarlierRecord>(
  place: SessionPlace,
  active: ByteSource,
  header: Header,
  records: readonly R[],
): Promise<readonly R[]> {
  const moved = await notInPlace(place, header, records);
  if (moved.length === 0) return [];
  const linesByRecord = new Map(
    moved.map((record) => [record, linesOf([{ session: header.id, ...record }])]),
  );
  const seqs = new Set([...linesByRecord.values()].flat().map(({ seq }) => seq));
  const dropped = header.chain.filter((link) => link.dropped !== undefined);
  const found = await readWholeLines(place, active, header, seqs);
  return moved.filter((record) =>
    linesByRecord
      .get(record)
      ?.some(
        ({ seq, sum }) =>
          !hasRecord(found, seq, sum) && !dropped.some(({ first, last }) => seq >= first && seq <= last),
      ),
  );
}

/** Quick, since they mostly are where they were written. */
async function notInPlace<R extends EarlierRecord>(
  { files, layout }: SessionPlace,
  header: Header,
  records: readonly R[],
): Promise<readonly R[]> {
  const parts = new Map(partsOf(header, 0, 0).map((part) => [part.file, part]));
  const found: R[] = [];
  for (const file of new Set(records.map((record) => record.file))) {
    const own = records.filter((record) => record.file === file);
    const part = parts.get(file);
    if (part === undefined || part.writtenBy !== header.id) found.push(...own);
    else if (!part.isDropped) found.push(...(await notInPart(files, layout, header, part, own)));
  }
  return found;
}

async function notInPart<R extends EarlierRecord>(
  files: FileSystem,
  layout: Layout,
  { id }: Header,
  part: LogPart,
  records: readonly R[],
): Promise<readonly R[]> {
  // What is wrong with it is told by those who read the session.
  const opened = await openSegment(
    files,
    segmentPath(layout.segments, id, part.file),
    part,
    () => undefined,
    [],
  );
  if (opened === undefined) return records;
  try {
    const found: R[] = [];
    for (const record of records) {
      const bytes = Buffer.alloc(record.bytes.length);
      const count = await opened.source.read(bytes, record.offset);
      if (!bytes.subarray(0, count).equals(record.bytes)) found.push(record);
    }
    return found;
  } finally {
    await opened.close();
  }
}
