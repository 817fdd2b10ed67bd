/**
 * Every state in which a power loss may leave a disk, each once. Where they are more than `limit`, a sample of them:
 * the same for the same seed.
 */

import { DistinctStates, type CrashState } from "./crash-state.ts";
import { fileOutcomes, type FileOutcome } from "./file-outcomes.ts";
import { nameOutcomes, type NameTree } from "./name-outcomes.ts";
import { sampleStates } from "./sample-states.ts";
import type { DiskImage } from "./simulated-disk.ts";

export interface CrashStates {
  readonly states: readonly CrashState[];
  /** Not a sample: there are no others. */
  readonly exhaustive: boolean;
}

export function crashStates(image: DiskImage, limit: number, seed: number): CrashStates {
  const all = allStates(image, limit);
  return all === undefined
    ? { states: sampleStates(image, limit, seed), exhaustive: false }
    : { states: all, exhaustive: true };
}

/** `undefined` if there are more than `limit`. */
function allStates(image: DiskImage, limit: number): readonly CrashState[] | undefined {
  const trees = nameOutcomes(image, limit);
  const files = trees === undefined ? undefined : outcomesOfFiles(image, trees, limit);
  if (trees === undefined || files === undefined) return undefined;
  const choices = trees.map((tree) => tree.files.map((number) => files.get(number) ?? UNTOUCHED));
  const count = choices.reduce(
    (sum, lists) => sum + lists.reduce((product, { length }) => product * length, 1),
    0,
  );
  if (count > limit) return undefined;
  const distinct = new DistinctStates();
  for (const [index, tree] of trees.entries()) {
    for (const outcomes of combinations(choices[index] ?? [])) distinct.add({ tree, outcomes });
  }
  return distinct.states;
}

type OutcomeList = readonly (FileOutcome | undefined)[];

const UNTOUCHED: OutcomeList = [undefined];

/** Of each file with changes that are not synced. `undefined`: one of them has more than `limit`. */
function outcomesOfFiles(
  image: DiskImage,
  trees: readonly NameTree[],
  limit: number,
): ReadonlyMap<number, OutcomeList> | undefined {
  const lists = new Map<number, OutcomeList>();
  for (const number of new Set(trees.flatMap(({ files }) => files))) {
    const file = image.inodes.get(number);
    if (file?.kind !== "file" || file.unsynced === undefined) continue;
    const outcomes = fileOutcomes(file, limit);
    if (outcomes === undefined) return undefined;
    lists.set(number, outcomes);
  }
  return lists;
}

/** Each way to take one of each list, the first of all of them first. */
function* combinations<T>(lists: readonly (readonly T[])[]): Generator<T[]> {
  const picks = lists.map(() => 0);
  for (;;) {
    yield lists.map((list, index) => list[picks[index] ?? 0] as T);
    let place = 0;
    for (; place < lists.length; place += 1) {
      const next = (picks[place] ?? 0) + 1;
      picks[place] = next < (lists[place]?.length ?? 0) ? next : 0;
      if (picks[place] !== 0) break;
    }
    if (place === lists.length) return;
  }
}
