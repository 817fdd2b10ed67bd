/**
 * Records of a dead process's journal that do not fit their session's file, and what a reader tells of them. Only records that are
 * missing are damage: where a line was copied into the file, the ones behind it are at other positions, but they are served.
 */

import { decodeLine } from "../format/decode.ts";
import { NEWLINE } from "../format/format.ts";
import type { Header } from "../format/header.ts";
import { LogScanner, type ScanDamage } from "../format/scan.ts";
import type { ByteSource, Patch } from "./byte-source.ts";
import { linesFrom, readHeaderLine } from "./header-line.ts";
import { firstSeqOf } from "./log-part.ts";
import { readLines } from "./read-lines.ts";

interface StrayLine {
  readonly seq: number;
  readonly offset: number;
  /** Without the newline. */
  readonly content: Buffer;
}

/** `source`: the session's active file, with the records laid over it that do fit. */
export async function strayDamage(
  source: ByteSource,
  header: Header,
  strays: readonly Patch[],
): Promise<ScanDamage[]> {
  const missing = new Map<string, StrayLine>();
  for (const line of strays.flatMap((stray) => recordsOf(stray, header.id)))
    missing.set(line.content.toString("latin1"), line);
  if (missing.size > 0) await forgetServed(source, header, missing);
  const lines = [...missing.values()];
  if (lines.length === 0) return [];
  const offset = Math.min(...lines.map((line) => line.offset));
  const seqs = lines.map(({ seq }) => seq);
  return [{ offset, bytes: 0, kind: "corrupt", reason: { code: "stray-records", seqs } }];
}

function recordsOf({ offset, bytes }: Patch, sessionId: string): StrayLine[] {
  const found: StrayLine[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const content = bytes.subarray(start, end);
    const decoded = decodeLine(content, sessionId);
    if (decoded.kind === "entry") found.push({ seq: decoded.entry.seq, offset: offset + start, content });
    start = end + 1;
  }
  return found;
}

async function forgetServed(
  source: ByteSource,
  header: Header,
  missing: Map<string, StrayLine>,
): Promise<void> {
  const from = linesFrom(await readHeaderLine(source));
  const scanner = new LogScanner(
    header.id,
    { offset: from, seqBefore: firstSeqOf(header) - 1 },
    {
      entry: (_, { content }) => {
        if (content !== undefined) missing.delete(withoutReturn(content).toString("latin1"));
      },
      checkpoint: () => undefined,
      damage: () => undefined,
    },
  );
  for await (const lines of readLines(source, from, source.size)) {
    for (const line of lines) scanner.line(line);
    if (missing.size === 0) return;
  }
  scanner.finish();
}

const CARRIAGE_RETURN = 0x0d;

/** An editor or a transfer may have put it before the newline. */
function withoutReturn(content: Buffer): Buffer {
  return content.at(-1) === CARRIAGE_RETURN ? content.subarray(0, -1) : content;
}
