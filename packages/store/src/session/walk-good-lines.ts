/**
 * Every whole line of a session file as a repair finds them, also inside a bad one, and which of them count. That is decided
 * by the same scanner that every reader uses. A record inside a bad line counts for a repair, but for no reader: it never
 * takes the place of one that readers are served.
 */

import { decodeLine } from "../format/decode.ts";
import type { Entry } from "../format/entry.ts";
import { salvageLine } from "../format/salvage-lines.ts";
import { splitGlued } from "../format/split-glued.ts";
import { LogScanner, type ScannedLine, type ScanVisitor } from "../format/scan.ts";
import type { ByteSource } from "./byte-source.ts";
import { readLines } from "./read-lines.ts";

export interface LinesToWalk {
  readonly source: ByteSource;
  readonly writtenBy: string;
  /** Behind the header. */
  readonly from: number;
  readonly to: number;
  readonly seqBefore: number;
  /** The last record that is the session's; `undefined`: whatever is there. */
  readonly last: number | undefined;
}

/** Resolves with the highest seq, counting damaged records at the end. `afterChunk`: awaited now and then. */
export async function walkGoodLines(
  lines: LinesToWalk,
  visitor: ScanVisitor & { readonly whole?: (line: ScannedLine) => void },
  afterChunk?: () => Promise<void>,
): Promise<{ readonly seq: number }> {
  const { source, writtenBy, from, to } = lines;
  const scanner = scannerOf(lines, visitor);
  let served: ReadonlySet<number> | undefined;
  for await (const chunk of readLines(source, from, to)) {
    for (const line of chunk) {
      const pieces = salvageLine(line, writtenBy);
      const isBad = pieces[0] !== line;
      if (isBad) served ??= await servedSeqs(lines);
      const readersTake = isBad ? piecesOfReaders(line, writtenBy) : undefined;
      for (const piece of pieces) {
        visitor.whole?.(piece);
        const entry =
          isBad && readersTake?.has(piece.offset) !== true ? entryOf(piece, writtenBy) : undefined;
        if (entry !== undefined && served?.has(entry.seq) === true) visitor.refused?.(entry, piece);
        else scanner.line(piece);
      }
    }
    await afterChunk?.();
  }
  return scanner.finish();
}

/** Where the lines begin into which readers take a bad one apart. */
function piecesOfReaders(line: ScannedLine, writtenBy: string): ReadonlySet<number> {
  return new Set(splitGlued(line, writtenBy)?.map(({ offset }) => offset));
}

/** Of the records that stand inside bad lines: those that readers are served, from wherever. */
async function servedSeqs(lines: LinesToWalk): Promise<ReadonlySet<number>> {
  const { source, writtenBy, from, to } = lines;
  const inside = new Set<number>();
  for await (const chunk of readLines(source, from, to)) {
    for (const line of chunk) {
      const pieces = salvageLine(line, writtenBy);
      if (pieces[0] === line) continue;
      for (const piece of pieces) inside.add(entryOf(piece, writtenBy)?.seq ?? 0);
    }
  }
  const served = new Set<number>();
  const scanner = scannerOf(lines, {
    entry: ({ seq }) => {
      if (inside.has(seq)) served.add(seq);
    },
    checkpoint: () => undefined,
    damage: () => undefined,
  });
  for await (const chunk of readLines(source, from, to)) for (const line of chunk) scanner.line(line);
  scanner.finish();
  return served;
}

function scannerOf({ writtenBy, from, seqBefore, last }: LinesToWalk, visitor: ScanVisitor): LogScanner {
  return new LogScanner(writtenBy, { offset: from, seqBefore, isSealed: last !== undefined }, visitor);
}

function entryOf({ content }: ScannedLine, writtenBy: string): Entry | undefined {
  const decoded = content === undefined ? undefined : decodeLine(content, writtenBy);
  return decoded?.kind === "entry" ? decoded.entry : undefined;
}
