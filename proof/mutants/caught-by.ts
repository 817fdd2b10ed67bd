/** The slices that notice mutants, by what is done in them: where slices are numbered otherwise, they are still found. */

import { sliceOfWorkload } from "../crash-images/part.ts";
import { DANGERS } from "../dangers/part.ts";
import { FAULT_KINDS } from "../fault-sweep/kinds.ts";
import { sliceOfPairing } from "../readers/part.ts";
import type { PartSlice } from "./mutant.ts";

/** `workload`: the name of one. */
export function crashesOf(workload: string): PartSlice {
  return { part: "crash-images", slice: found(sliceOfWorkload(workload), workload), what: workload };
}

export function danger(name: string): PartSlice {
  return { part: "dangers", slice: found(Object.keys(DANGERS).indexOf(name), name), what: name };
}

/** `kind`: how calls fail. */
export function faults(kind: string): PartSlice {
  const slice = FAULT_KINDS.findIndex(({ name }) => name === kind);
  return { part: "fault-sweep", slice: found(slice, kind), what: kind };
}

export function besideMover(reader: string, mover: string): PartSlice {
  const what = `${reader} beside ${mover}`;
  return { part: "readers", slice: found(sliceOfPairing(reader, mover), what), what };
}

function found(slice: number, name: string): number {
  if (slice === -1) throw new Error(`there is nothing called "${name}" that could notice a mutant`);
  return slice;
}
