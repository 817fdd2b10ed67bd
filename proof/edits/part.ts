/**
 * Edits: whole lines of small stores glued, copied, moved, removed, put over others, in every position, and whole files exchanged. The first slices share out every single
 * edit; all slices go on with several edits at once, by chance.
 */

import { SeededRandom } from "@longhand/store/testing";
import { readBy } from "../bit-flips/read-spoiled.ts";
import type { SampleStore } from "../damage/sample-store.ts";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { editedStores } from "./edited-stores.ts";
import { everyFileEdit, tellFileEdit } from "./file-edits.ts";
import { judgeForgedPlace } from "./forged-place.ts";
import { judgeEdit, knowledgeOf, type EditedStore, type Knowledge } from "./judge-edit.ts";
import { applyEdits, everyEdit, someEdits, tellEdits, type PlacedEdit } from "./line-edits.ts";
import { bytesOf, lineFilesOf } from "./line-files.ts";

const GATE_SLICES = 40;
const EDITS_OF_A_SLICE = 5_100;

export const edits: Part = {
  name: "edits",
  title: "Edited lines and files",
  counts: { "line edits": 200_000, "file edits": 100 },
  gateSlices: GATE_SLICES,
  weight: 4,
  obstacle: () => Promise.resolve(undefined),
  run: async (slice, findings) => {
    const stores = await editedStores();
    const judge = await judgeOf(stores, slice);
    const files = stores.flatMap(lineFilesOf);
    let done = 0;
    if (slice.number < GATE_SLICES) {
      for (const [index, edit] of [...everyFileEdit(stores)].entries()) {
        if (index % GATE_SLICES !== slice.number) continue;
        await judge({ ...edit, isMany: true, isOfFiles: true }, index, () => tellFileEdit(edit));
        findings.count("file edits");
      }
      let index = 0;
      for (const edit of everyEdit(files)) {
        if (index++ % GATE_SLICES !== slice.number) continue;
        await judgeLines(edit, judge, index, findings);
        done += 1;
      }
    }
    const random = new SeededRandom(slice.seed * 15_485_863 + slice.number);
    let turn = 0;
    for (const edit of someEdits(files, random, Math.max(0, EDITS_OF_A_SLICE - done)))
      await judgeLines(edit, judge, turn++, findings);
  },
  control: judgeForgedPlace,
};

type Judge = (edited: EditedStore, turn: number, tell: () => string) => Promise<void>;

async function judgeOf(stores: readonly SampleStore[], slice: Slice): Promise<Judge> {
  const known = new Map<SampleStore, Knowledge>();
  for (const store of stores) {
    await checkUndamaged(store);
    known.set(store, knowledgeOf(store));
  }
  return async (edited, turn, tell) => {
    const knowledge = known.get(edited.store) ?? knowledgeOf(edited.store);
    const wrong = await judgeEdit(edited, knowledge, turn % 2 === 0 ? "append" : "repair").catch(
      (error: unknown) => {
        if (error instanceof Violation) return error.message;
        throw error;
      },
    );
    if (wrong !== undefined)
      throw new Violation(`${tell()}: ${wrong} (seed ${slice.seed}, slice ${slice.number})`);
  };
}

async function judgeLines(edit: PlacedEdit, judge: Judge, turn: number, findings: Findings): Promise<void> {
  const { target } = edit;
  const bytes = bytesOf(target, applyEdits(edit));
  if (!bytes.equals(bytesOf(target, target.lines))) {
    const changed = new Map([[target.file.path, bytes]]);
    await judge({ store: target.store, changed, isMany: edit.edits.length > 1 }, turn, () => tellEdits(edit));
  }
  findings.count("line edits");
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
