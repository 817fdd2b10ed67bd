/**
 * The header with which the lines of a file were written, wherever it stands whole: it was moved, a line was put before it, or it was glued to
 * another one.
 */

import type { ByteSource } from "../../session/byte-source.ts";
import { withoutMark } from "../../session/header-line.ts";
import { readLines } from "../../session/read-lines.ts";
import { decodeLine } from "../../format/decode.ts";
import { decodeHeader, HEADER_START, type Header } from "../../format/header.ts";
import type { ScannedLine } from "../../format/scan.ts";
import { piecesOf } from "../../format/split-glued.ts";

/** How far a record is looked for that proves the id. */
const MAX_PROOF_BYTES = 8 * 1024 * 1024;

/** The first one that fits. Of several right behind each other, the one that the records prove. */
export async function findWrittenHeader(
  source: ByteSource,
  fits: (header: Header) => boolean,
): Promise<Header | undefined> {
  let found: Header | undefined;
  for await (const lines of readLines(source, 0, source.size)) {
    for (const piece of lines.flatMap(piecesOf)) {
      const header = headerIn(piece);
      if (header === undefined || !fits(header)) {
        if (found !== undefined) return found;
      } else if (found === undefined || (await isWritersOf(source, header, found))) found = header;
    }
  }
  return found;
}

function headerIn({ content, offset }: ScannedLine): Header | undefined {
  const line = content === undefined || offset > 0 ? content : withoutMark(content);
  if (line?.subarray(0, HEADER_START.length).equals(HEADER_START) !== true) return undefined;
  const decoded = decodeHeader(line);
  return decoded.kind === "header" ? decoded.header : undefined;
}

/** The one before it may have been put there: it is of an earlier file, or of another session of the key. */
async function isWritersOf(source: ByteSource, header: Header, before: Header): Promise<boolean> {
  if (header.id === before.id) return header.file > before.file;
  return !(await hasRecordOf(source, before.id)) && (await hasRecordOf(source, header.id));
}

/** A record near the beginning has the checksum of this id. */
export async function hasRecordOf(source: ByteSource, id: string): Promise<boolean> {
  for await (const lines of readLines(source, 0, Math.min(source.size, MAX_PROOF_BYTES))) {
    for (const { content } of lines.flatMap(piecesOf)) {
      if (content !== undefined && decodeLine(content, id).kind === "entry") return true;
    }
  }
  return false;
}
