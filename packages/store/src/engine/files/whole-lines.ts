/**
 * Every whole line of a session's files, also where it is moved or glued to another: a repair finds them all. Told by their
 * checksums, so that records that are kept aside can be put beside the ones they were written with.
 */

import type { FileSystem } from "../../host/host.ts";
import type { ByteSource } from "../../session/byte-source.ts";
import { firstSeqOf, partsOf } from "../../session/log-part.ts";
import { openSegment } from "../../session/open-segment.ts";
import { readLines } from "../../session/read-lines.ts";
import { segmentPath } from "../../session/segment-path.ts";
import { decodeLine } from "../../format/decode.ts";
import type { Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import { lineSum } from "../../format/line-checksum.ts";
import { salvageLine } from "../../format/salvage-lines.ts";

export interface WholeLines {
  /** The last record that a line of the active file speaks of. */
  readonly lastSeq: number;
  /** Checksums of the records with this seq: more than one only if histories were mixed. */
  readonly recordSums: ReadonlyMap<number, ReadonlySet<string>>;
  /** The same of headers and checkpoints, by the last record before them. */
  readonly otherSums: ReadonlyMap<number, ReadonlySet<string>>;
}

/** `seqs`: the records that are asked for. Sealed files are read only if they may have one of them. */
export async function readWholeLines(
  { files, layout }: { readonly files: FileSystem; readonly layout: Layout },
  active: ByteSource,
  header: Header,
  seqs: ReadonlySet<number>,
): Promise<WholeLines> {
  const found = new Collected();
  for (const part of partsOf(header, 0, 0).slice(0, -1)) {
    if (part.isDropped || part.writtenBy !== header.id || !hasOneOf(part, seqs)) continue;
    const path = segmentPath(layout.segments, header.id, part.file);
    // What is wrong with it is in the report by itself.
    const opened = await openSegment(files, path, part, () => undefined, []);
    if (opened === undefined) continue;
    try {
      await collect(opened.source, header.id, part.first, found);
    } finally {
      await opened.close();
    }
  }
  const lastSeq = await collect(active, header.id, firstSeqOf(header), found);
  return { lastSeq, recordSums: found.recordSums, otherSums: found.otherSums };
}

function hasOneOf(
  { first, last }: { readonly first: number; readonly last: number },
  seqs: ReadonlySet<number>,
): boolean {
  for (const seq of seqs) if (seq >= first && seq <= last) return true;
  return false;
}

class Collected {
  readonly recordSums = new Map<number, Set<string>>();
  readonly otherSums = new Map<number, Set<string>>();

  add(to: Map<number, Set<string>>, seq: number, content: Buffer): void {
    const sums = to.get(seq);
    if (sums === undefined) to.set(seq, new Set([lineSum(content)]));
    else sums.add(lineSum(content));
  }
}

/** Answers with the last record that a line speaks of. */
async function collect(source: ByteSource, id: string, first: number, found: Collected): Promise<number> {
  let lastSeq = first - 1;
  for await (const chunk of readLines(source, 0, source.size)) {
    for (const line of chunk) {
      for (const { content } of salvageLine(line, id)) {
        if (content === undefined) continue;
        const decoded = decodeLine(content, id);
        if (decoded.kind === "entry") {
          found.add(found.recordSums, decoded.entry.seq, content);
          lastSeq = Math.max(lastSeq, decoded.entry.seq);
        } else if (decoded.kind === "checkpoint")
          found.add(found.otherSums, decoded.checkpoint.state.seq, content);
        else if (decoded.kind === "header" && decoded.header.id === id)
          found.add(found.otherSums, first - 1, content);
        else if (decoded.kind === "lost") lastSeq = Math.max(lastSeq, decoded.last);
      }
    }
  }
  return lastSeq;
}
