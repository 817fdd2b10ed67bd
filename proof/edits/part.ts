/**
 * Edits: whole lines of small stores glued, copied, moved, removed, put over others, in every position, lines of another history of the session among them, and whole files exchanged. The
 * slices of the gate share out every single edit; all slices go on with several edits at once, by chance.
 */

import { SeededRandom } from "@longhand/store/testing";
import { readBy } from "../bit-flips/read-spoiled.ts";
import type { SampleStore } from "../damage/sample-store.ts";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { crashedStores } from "./crashed-stores.ts";
import { editedStores } from "./edited-stores.ts";
import { everyFileEdit, tellFileEdit } from "./file-edits.ts";
import { judgeForgedPlace } from "./forged-place.ts";
import type { EditedStore } from "./edited-store.ts";
import { judgeEdit, knowledgeOf, type Knowledge } from "./judge-edit.ts";
import { applyEdits, everyEdit, someEdits, tellEdits, type PlacedEdit } from "./line-edits.ts";
import { judgeMixing } from "./judge-mixing.ts";
import { bytesOf, lineFilesOf } from "./line-files.ts";
import { everyMixing, otherHistories, someMixings } from "./other-histories.ts";

const GATE_SLICES = 40;
/** Of a slice, several at once. */
const EDITS_BY_CHANCE = 4_900;
/** Each so-manieth store with several edits is written to and repaired. */
const WRITTEN = 8;
/** Of a slice: lines of another history, several at once. */
const MIXINGS_BY_CHANCE = 40;

export const edits: Part = {
  name: "edits",
  title: "Edited lines and files",
  counts: { "line edits": 200_000, "file edits": 90, "lines of another history": 4_000 },
  gateSlices: GATE_SLICES,
  weight: 4,
  obstacle: () => Promise.resolve(undefined),
  run: async (slice, findings) => {
    const crashed = await crashedStores();
    const stores = [...(await editedStores()), ...crashed];
    const judge = await judgeOf(stores, slice);
    const files = stores.flatMap(lineFilesOf);
    if (slice.number < GATE_SLICES) {
      for (const [index, edit] of [...everyFileEdit(stores)].entries()) {
        if (index % GATE_SLICES !== slice.number) continue;
        await judge({ ...edit, isMany: true, isOfFiles: true }, thenOf(index), () => tellFileEdit(edit));
        findings.count("file edits");
      }
      let index = 0;
      for (const edit of everyEdit(files)) {
        index += 1;
        if (index % GATE_SLICES === slice.number) await judgeLines(edit, judge, thenOf(index), findings);
      }
    }
    const random = new SeededRandom(slice.seed * 15_485_863 + slice.number);
    let turn = 0;
    for (const edit of someEdits(files, random, EDITS_BY_CHANCE)) {
      turn += 1;
      const then = turn % WRITTEN === 0 ? thenOf(turn / WRITTEN) : "nobody";
      await judgeLines(edit, judge, then, findings);
    }
    await judgeMixings(crashed, slice, random, findings);
  },
  control: judgeForgedPlace,
};

type Then = Parameters<typeof judgeEdit>[2];
type Judge = (edited: EditedStore, then: Then, tell: () => string) => Promise<void>;

function thenOf(index: number): Then {
  return index % 2 === 0 ? "append" : "repair";
}

async function judgeOf(stores: readonly SampleStore[], slice: Slice): Promise<Judge> {
  const known = new Map<SampleStore, Knowledge>();
  for (const store of stores) {
    await checkUndamaged(store);
    known.set(store, knowledgeOf(store));
  }
  return async (edited, then, tell) => {
    const knowledge = known.get(edited.store) ?? knowledgeOf(edited.store);
    const wrong = await judgeEdit(edited, knowledge, then).catch((error: unknown) => {
      if (error instanceof Violation) return error.message;
      throw error;
    });
    if (wrong !== undefined)
      throw new Violation(`${tell()}: ${wrong} (seed ${slice.seed}, slice ${slice.number})`);
  };
}

async function judgeMixings(
  crashed: readonly SampleStore[],
  slice: Slice,
  random: SeededRandom,
  findings: Findings,
): Promise<void> {
  const histories = (await Promise.all(crashed.map(otherHistories))).flat();
  const every = slice.number < GATE_SLICES ? histories.flatMap((history) => [...everyMixing(history)]) : [];
  const own = every.filter((_, index) => index % GATE_SLICES === slice.number);
  for (const mixing of [...own, ...someMixings(histories, random, MIXINGS_BY_CHANCE)]) {
    const wrong = await judgeMixing(mixing);
    if (wrong !== undefined)
      throw new Violation(`${tellEdits(mixing)}: ${wrong} (seed ${slice.seed}, slice ${slice.number})`);
    findings.count("lines of another history");
  }
}

async function judgeLines(edit: PlacedEdit, judge: Judge, then: Then, findings: Findings): Promise<void> {
  const { target } = edit;
  const bytes = bytesOf(target, applyEdits(edit));
  if (!bytes.equals(bytesOf(target, target.lines))) {
    const changed = new Map([[target.file.path, bytes]]);
    await judge({ store: target.store, changed, isMany: edit.edits.length > 1 }, then, () => tellEdits(edit));
  }
  findings.count("line edits", edit.edits.length);
}

/** An undamaged store has nothing to report, or its reports would prove nothing; and its checkpoints must be those that the store would write. */
async function checkUndamaged(store: SampleStore): Promise<void> {
  const { seen, reports } = await readBy(store.capture.afterKill().startProcess(), store, true);
  if (reports > 0) throw new Error(`the store "${store.name}" reports damage before anything is edited`);
  for (const [key, id] of store.idOf) {
    const found = seen.sessions.get(key)?.records.map((record) => JSON.stringify(record));
    const written = [...(store.originals.get(id)?.records.values() ?? [])];
    if (JSON.stringify(found) !== JSON.stringify(written))
      throw new Error(`${key} of "${store.name}" is not read as it was written`);
  }
}
