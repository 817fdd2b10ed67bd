/**
 * What a repair keeps of a file: every good line, also those glued to others, in the order of their seqs, each record
 * once. What counts is decided by the same scanner that every reader uses; beside that, a good record that stands behind
 * later ones goes back to its place.
 */

import type { Entry } from "../format/entry.ts";
import type { SessionState } from "../format/fold.ts";
import { batchEnd } from "../format/open-batch.ts";
import { lineSum } from "../format/line-checksum.ts";
import type { ScanVisitor } from "../format/scan.ts";
import type { KeptRange } from "./keep-aside.ts";
import type { PartWriter } from "./part-writer.ts";
import type { SettledRecords } from "./settle-records.ts";
import { walkGoodLines, type LinesToWalk } from "./walk-good-lines.ts";

export interface GoodLines extends LinesToWalk {
  /** Records of this session that were kept aside and are missing here, between others or behind the last one. */
  readonly kept?: readonly LateLine[];
  /** Which record gets a seq; of the others, the first that counts. */
  readonly settled?: SettledRecords;
  /** What all records up to `last` have led to; asked for if some are lost. */
  readonly stateAtEnd?: () => Promise<SessionState | undefined>;
}

/** Records out of order are held in memory; what is more than this is lost, but kept aside like all damage. */
const MAX_LATE_BYTES = 64 * 1024 * 1024;

/** Answers with where the whole records stand that are in the file and were not copied. */
export async function copyGoodLines(lines: GoodLines, writer: PartWriter): Promise<readonly KeptRange[]> {
  const last = lines.last ?? Infinity;
  /** Where the last batch ends of which a record is here: a line says that its rest is not, or no reader would take it. */
  let end = lines.last ?? 0;
  const place = (entry: Entry, line: Buffer): void => {
    if (entry.seq > last) return;
    writer.entry(entry, line);
    end = Math.max(end, batchEnd(entry));
  };
  const { late, passedOver } = await findLate(lines);
  const takeLate = (before: number): void => {
    for (let next = late[0]; next !== undefined && next.entry.seq < before; next = late[0]) {
      place(next.entry, next.line);
      late.shift();
    }
  };
  const visitor: ScanVisitor = {
    entry: (entry, { content }) => {
      if (entry.seq > last || content === undefined || isDisplaced(lines, entry.seq, content)) return;
      takeLate(entry.seq);
      place(entry, content);
    },
    checkpoint: ({ state }) => {
      if (state.seq > last) return;
      takeLate(state.seq + 1);
      writer.checkpoint(state);
    },
    lost: (range, { content }) => {
      if (range.last > last || content === undefined) return;
      takeLate(range.last + 1);
      writer.lostBefore(range.first, range.last, content);
    },
    aside: ({ content }) => {
      if (content !== undefined) writer.aside(content);
    },
    damage: () => undefined,
  };
  const { seq } = await walkGoodLines(lines, visitor, async () => await writer.drain());
  takeLate(seq + 1);
  // What was kept aside may go on behind the last record.
  while ((late[0]?.entry.seq ?? Infinity) <= Math.max(seq, end) + 1) takeLate(Math.max(seq, end) + 2);
  // The rest of a batch in an active file was acknowledged with it; of a sealed file a fork may have only the beginning.
  writer.lostUpTo(lines.last ?? Math.max(seq, end));
  const state = writer.hasLost ? await lines.stateAtEnd?.() : undefined;
  if (state !== undefined) writer.checkpoint(state);
  if (lines.last !== undefined) writer.endBatch(end);
  return passedOver;
}

export interface LateLine {
  readonly entry: Entry;
  /** Without its newline. */
  readonly line: Buffer;
}

/** Good records that the scanner refuses where they are, and that count nowhere else, by seq. */
async function findLate(
  lines: GoodLines,
): Promise<{ readonly late: LateLine[]; readonly passedOver: readonly KeptRange[] }> {
  /** Runs of seqs that were passed over. */
  const gaps: { first: number; last: number }[] = [];
  const late = new Map<number, LateLine>();
  /** Of each record that does not count where it stands, and where that is. */
  const refused: (KeptRange & { readonly seq: number })[] = [];
  const lateFrom = new Map<number, number>();
  let before = lines.seqBefore;
  let bytes = 0;
  const pass = (next: number, end: number): void => {
    if (next > before + 1) gaps.push({ first: before + 1, last: next - 1 });
    before = Math.max(before, end);
  };
  const isMissed = (seq: number): boolean =>
    seq > before || gaps.some(({ first, last }) => seq >= first && seq <= last);
  await walkGoodLines(lines, {
    entry: ({ seq }, { content, offset, bytes: length }) => {
      if (content === undefined || !isDisplaced(lines, seq, content)) pass(seq, seq);
      else refused.push({ seq, offset, bytes: length });
    },
    checkpoint: ({ state }) => pass(state.seq + 1, state.seq),
    lost: ({ last }) => pass(last + 1, last),
    damage: () => undefined,
    refused: (entry, { content, offset, bytes: length }) => {
      refused.push({ seq: entry.seq, offset, bytes: length });
      if (content === undefined || !isMissed(entry.seq) || late.has(entry.seq)) return;
      if (isDisplaced(lines, entry.seq, content)) return;
      if (entry.seq <= lines.seqBefore || bytes + content.length > MAX_LATE_BYTES) return;
      bytes += content.length;
      late.set(entry.seq, { entry, line: Buffer.from(content) });
      lateFrom.set(entry.seq, offset);
    },
  });
  // What the file itself has comes first.
  for (const each of lines.kept ?? []) {
    const { seq } = each.entry;
    if (seq > lines.seqBefore && isMissed(seq) && !late.has(seq)) late.set(seq, each);
  }
  const found = [...late.values()]
    .filter(({ entry }) => isMissed(entry.seq))
    .sort((one, other) => one.entry.seq - other.entry.seq);
  const passedOver = refused.filter(({ seq, offset }) => !isMissed(seq) || lateFrom.get(seq) !== offset);
  return { late: found, passedOver };
}

/** Another record gets its seq, or none does. */
function isDisplaced({ settled }: GoodLines, seq: number, content: Buffer): boolean {
  return settled?.has(seq) === true && settled.get(seq) !== lineSum(content);
}
