/** The records in the journals of killed writers, by docs/format.md alone. */

import type { SampleStore } from "../damage/sample-store.ts";
import { linesOf } from "./line-files.ts";

export interface JournaledLine {
  readonly session: string;
  /** Without its newline. */
  readonly raw: Buffer;
}

const POSITION =
  /\{"session":"([0-9A-Z]{26})","file":\d+,"name":"[^"]*","offset":\d+,"bytes":(\d+)[^\n]*\}\n/g;

export function journaledLines(store: SampleStore): readonly JournaledLine[] {
  return store.files
    .filter(({ path }) => path.endsWith(".journal"))
    .flatMap(({ bytes }) => {
      const found: JournaledLine[] = [];
      for (const { 0: text, 1: session = "", 2: length, index } of bytes
        .toString("latin1")
        .matchAll(POSITION)) {
        const start = index + text.length;
        for (const line of linesOf(bytes.subarray(start, start + Number(length))))
          found.push({ session, raw: line.subarray(0, -1) });
      }
      return found;
    });
}
