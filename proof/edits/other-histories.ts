/**
 * Another history of a session: an older copy of its file, with which another store has gone on. Its lines have the session's id, seqs that the session has
 * given to others, and good checksums.
 */

import { jsonlBackend, openStore } from "@longhand/store";
import type { SeededRandom, SimulatedMachine } from "@longhand/store/testing";
import { DIRECTORY, message, type SampleStore } from "../damage/sample-store.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import type { LineEdit, PlacedEdit } from "./line-edits.ts";
import { lineFilesOf, linesOf, type LineFile } from "./line-files.ts";

/** As long as the words of the sample stores, so that a line stands exactly in the place of another. */
const WORDS = ["uno", "duo", "tre"];

export interface OtherHistory {
  /** The session's file as it is. */
  readonly target: LineFile;
  /** What only the other history has. */
  readonly other: LineFile;
}

/** An edit of the one with lines of the other. */
export interface Mixing extends PlacedEdit, OtherHistory {}

/** Of every active file, from each of its records on. */
export async function otherHistories(store: SampleStore): Promise<OtherHistory[]> {
  const found: OtherHistory[] = [];
  for (const target of lineFilesOf(store)) {
    const { path } = target.file;
    if (!new RegExp(`^${DIRECTORY}/[^/]+\\.jsonl$`).test(path)) continue;
    const key = (JSON.parse(target.lines[0]?.toString() ?? "{}") as { readonly key?: string }).key ?? "";
    const count = (await recoveredLines(store.capture.afterKill(), path)).length;
    for (let kept = 2; kept <= count; kept++) {
      const lines = await goOnFrom(store, path, key, kept);
      if (lines.length > 0)
        found.push({
          target,
          other: { ...target, file: { ...target.file, path: `${path}, gone on from line ${kept}` }, lines },
        });
    }
  }
  return found;
}

async function goOnFrom(store: SampleStore, path: string, key: string, kept: number): Promise<Buffer[]> {
  const machine = store.capture.afterKill();
  const full = await recoveredLines(machine, path);
  const host = machine.startProcess();
  await putFile(host, path, Buffer.concat(full.slice(0, kept)));
  const writer = await openStore(jsonlBackend(DIRECTORY, { host }), { onDamage: () => undefined });
  for (const word of WORDS) await writer.session(key).append(message(word));
  await writer.close();
  const lines = await linesAt(machine, path);
  return lines.filter((line) => !full.some((each) => each.equals(line)) && line.includes('{"seq":'));
}

/** With everything that the journal of its killed writer has for it. */
async function recoveredLines(machine: SimulatedMachine, path: string): Promise<Buffer[]> {
  await (await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }))).close();
  return await linesAt(machine, path);
}

async function linesAt(machine: SimulatedMachine, path: string): Promise<Buffer[]> {
  const files = await filesUnder(machine.startProcess(), DIRECTORY);
  return linesOf(files.find((file) => file.path === path)?.bytes ?? Buffer.alloc(0));
}

/** Every line of the other history in every position: in front of a line, glued to it, instead of it; and all of them from there on, or at the end. */
export function* everyMixing({ target, other }: OtherHistory): Iterable<Mixing> {
  const end = target.lines.length;
  for (let line = 0; line < other.lines.length; line++) {
    for (let to = 1; to <= end; to++) {
      for (const edits of mixingsAt({ target, other }, line, to)) yield { target, other, edits };
    }
  }
  for (let count = 1; count <= other.lines.length; count++) {
    const append: LineEdit = { kind: "append", other, count };
    yield { target, other, edits: [append] };
    for (let to = 1; to < end; to++)
      yield { target, other, edits: [...Array.from({ length: end - to }, () => removed(to)), append] };
  }
}

function mixingsAt(
  { target, other }: OtherHistory,
  line: number,
  to: number,
): readonly (readonly LineEdit[])[] {
  const insert: LineEdit = { kind: "insert", other, line, to };
  if (to >= target.lines.length) return [[insert]];
  return [[insert], [insert, { kind: "glue", line: to }], [insert, removed(to + 1)]];
}

function removed(line: number): LineEdit {
  return { kind: "remove", line };
}

/** Two at once, or one and an edit of the file's own lines. */
export function* someMixings(
  histories: readonly OtherHistory[],
  random: SeededRandom,
  count: number,
): Iterable<Mixing> {
  for (let done = 0; done < count; done++) {
    const history = histories[random.below(histories.length)];
    if (history === undefined) return;
    const { target, other } = history;
    const edits = [0, 1].flatMap(() => {
      const to = 1 + random.below(target.lines.length);
      const own: LineEdit = { kind: "copy", line: random.below(target.lines.length), to };
      const all = [...mixingsAt(history, random.below(other.lines.length), to), [own]];
      return all[random.below(all.length)] ?? [];
    });
    yield { target, other, edits };
  }
}
