/** The header of a session that is not the first line of its file: it was moved, or a line was put before it. */

import type { ByteSource } from "../../session/byte-source.ts";
import { readLines } from "../../session/read-lines.ts";
import { decodeHeader, type Header } from "../../format/header.ts";

export interface StrayHeader {
  readonly header: Header;
  readonly offset: number;
}

const START = Buffer.from('{"longhand":');

/** The first line from `from` on that is a header for which `isWanted` holds. */
export async function findStrayHeader(
  source: ByteSource,
  from: number,
  isWanted: (header: Header) => boolean,
): Promise<StrayHeader | undefined> {
  for await (const lines of readLines(source, from, source.size)) {
    for (const { content, offset } of lines) {
      const decoded =
        content?.subarray(0, START.length).equals(START) === true ? decodeHeader(content) : undefined;
      if (decoded?.kind === "header" && isWanted(decoded.header)) return { header: decoded.header, offset };
    }
  }
  return undefined;
}
