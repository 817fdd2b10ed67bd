/** Leaves out mutated files, as long as what is left still fails. */

import type { FuzzedStore } from "./judge-fuzzed.ts";

export interface SmallestFailing {
  readonly files: FuzzedStore["files"];
  readonly reason: string;
}

/** Halves first, then single files; as often as there are files, at most. */
export async function smallestFailing(
  fuzzed: FuzzedStore,
  reason: string,
  judge: (fuzzed: FuzzedStore) => Promise<string | undefined>,
): Promise<SmallestFailing> {
  let smallest: SmallestFailing = { files: fuzzed.files, reason };
  for (let size = Math.ceil(fuzzed.files.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < smallest.files.length;) {
      const files = [...smallest.files.slice(0, start), ...smallest.files.slice(start + size)];
      const still = files.length === 0 ? undefined : await judge({ ...fuzzed, files });
      if (still === undefined) start += size;
      else smallest = { files, reason: still };
    }
  }
  return smallest;
}
