/**
 * Records of journals that follow each other and are all written again, over lines of their own that another program has
 * moved. A line was removed, swapped or glued to the next one, and the journal still has every line from there on: writing
 * them again puts each back to its position, and nothing is destroyed, since every line that is hit is written elsewhere.
 */

import { lastSum } from "../format/last-sum.ts";
import { NEWLINE } from "../format/format.ts";
import type { Patch } from "./byte-source.ts";
import type { FileWindow } from "./file-window.ts";
import { otherLinesUnder } from "./lines-under.ts";

export class RewrittenRuns<P extends Patch> {
  readonly #there: FileWindow;
  readonly #sessionId: string;
  readonly #byOffset: ReadonlyMap<number, readonly P[]>;
  /** No run that begins with one of these is written: known from a run that had them. */
  readonly #hopeless = new Set<P>();

  constructor(there: FileWindow, sessionId: string, records: readonly P[]) {
    this.#there = there;
    this.#sessionId = sessionId;
    const byOffset = new Map<number, P[]>();
    for (const record of records) {
      const same = byOffset.get(record.offset);
      if (same === undefined) byOffset.set(record.offset, [record]);
      else same.push(record);
    }
    this.#byOffset = byOffset;
  }

  /**
   * The record and all that follow it, if they may be written over what is there. `written`: what is in the file for sure
   * afterwards. The run must reach the end of the file: else a rest of a moved line would stay behind it.
   */
  async from(record: P, written: readonly P[]): Promise<readonly P[] | undefined> {
    if (this.#hopeless.has(record)) return undefined;
    const run = this.#following(record);
    const last = run?.at(-1);
    if (run === undefined || last === undefined || last.offset + last.bytes.length < this.#there.size) {
      for (const each of run ?? [record]) this.#hopeless.add(each);
      return undefined;
    }
    const known = new Set([...written, ...run].flatMap(({ bytes }) => linesIn(bytes)));
    for (const [index, each] of run.entries()) {
      const others = await otherLinesUnder(this.#there, each, this.#sessionId);
      if (others.every(({ content }) => known.has(content.toString("latin1")))) continue;
      for (const failed of run.slice(0, index + 1)) this.#hopeless.add(failed);
      return undefined;
    }
    return run;
  }

  /** `undefined`: two histories go on from one of them. */
  #following(first: P): readonly P[] | undefined {
    const run = [first];
    for (let last = first; ;) {
      const next = (this.#byOffset.get(last.offset + last.bytes.length) ?? []).filter(
        ({ after }) => after === undefined || after === lastSum(last.bytes),
      );
      const [only] = next;
      if (only === undefined) return run;
      if (next.some(({ bytes }) => !bytes.equals(only.bytes))) return undefined;
      run.push(only);
      last = only;
    }
  }
}

function linesIn(bytes: Buffer): string[] {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    lines.push(bytes.toString("latin1", start, end));
    start = end + 1;
  }
  return lines;
}
