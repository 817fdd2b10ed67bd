/**
 * A sample of the states a power loss may leave, for when they are too many. From three extremes (all kept, all lost,
 * the names kept but the contents lost) every state that differs from one of them in a single piece; then states by
 * chance, up to `limit` different ones. Where even the single differences are too many, the seed picks among them.
 */

import { DistinctStates, type CrashState } from "./crash-state.ts";
import { applyFate, fatesOf, KEPT, type Fate, type FileOutcome } from "./file-outcomes.ts";
import type { NameChange } from "./name-change.ts";
import { nameTree, type NameTree } from "./name-outcomes.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { DiskImage } from "./simulated-disk.ts";
import { unsyncedChanges, type FileChange, type FileInode } from "./simulated-inode.ts";

/** Chance repeats itself when few states are left to find: after so many for each of `limit` it is given up. */
const TRIES_PER_STATE = 3;

const KEEP = 0;
const LOSE = 1;

export function sampleStates(image: DiskImage, limit: number, seed: number): readonly CrashState[] {
  const random = new SeededRandom(seed);
  const pieces = new Pieces(image);
  const distinct = new DistinctStates();
  const add = (picks: readonly number[]): boolean => {
    distinct.add(pieces.stateOf(picks));
    return distinct.states.length < limit;
  };
  const extremes = [pieces.pick(KEEP, KEEP), pieces.pick(LOSE, LOSE), pieces.pick(KEEP, LOSE)];
  for (const picks of extremes) if (!add(picks)) return distinct.states;
  for (const picks of singleDifferences(extremes, pieces.choices, limit, random)) {
    if (!add(picks)) return distinct.states;
  }
  for (let tries = limit * TRIES_PER_STATE; tries > 0; tries -= 1) {
    if (!add(randomPicks(pieces.choices, random))) break;
  }
  return distinct.states;
}

function* singleDifferences(
  extremes: readonly (readonly number[])[],
  choices: readonly number[],
  limit: number,
  random: SeededRandom,
): Generator<readonly number[]> {
  const differences: number[] = [];
  const widest = choices.reduce((widest, count) => Math.max(widest, count), 0);
  for (const [extreme, picks] of extremes.entries()) {
    for (const [piece, count] of choices.entries()) {
      for (let choice = 0; choice < count; choice += 1) {
        if (choice !== picks[piece]) differences.push((extreme * choices.length + piece) * widest + choice);
      }
    }
  }
  if (differences.length > limit) random.shuffle(differences);
  for (const difference of differences) {
    const piece = Math.floor(difference / widest) % choices.length;
    const picks = [...(extremes[Math.floor(difference / widest / choices.length)] ?? [])];
    picks[piece] = difference % widest;
    yield picks;
  }
}

/** Sometimes little is lost, sometimes nearly all; of what is not kept, half is lost as a whole. */
function randomPicks(choices: readonly number[], random: SeededRandom): number[] {
  const harm = 1 + random.below(15);
  return choices.map((count) => {
    if (random.below(16) >= harm) return KEEP;
    return random.below(2) === 0 ? LOSE : 1 + random.below(count - 1);
  });
}

interface UnsyncedFile {
  readonly changes: readonly FileChange[];
  readonly fates: readonly (readonly Fate[])[];
  readonly durable: FileInode["durable"];
  /** Which of the picks is for its first change. */
  readonly first: number;
}

/** What a power loss decides about, one after the other: the changes of names, then the changes of each file. */
class Pieces {
  /** For each piece, among how many possibilities. */
  readonly choices: readonly number[];
  readonly #image: DiskImage;
  readonly #names: readonly NameChange[];
  readonly #files = new Map<number, UnsyncedFile>();
  readonly #trees = new Map<string, NameTree>();
  readonly #outcomes = new Map<string, FileOutcome>();

  constructor(image: DiskImage) {
    this.#image = image;
    this.#names = image.nameChanges.filter(({ awaits }) => awaits.length > 0);
    const choices = this.#names.map(() => 2);
    for (const [number, file] of image.inodes) {
      if (file.kind !== "file" || file.unsynced === undefined) continue;
      const changes = unsyncedChanges(file);
      const fates = changes.map(fatesOf);
      this.#files.set(number, { changes, fates, durable: file.durable, first: choices.length });
      for (const { length } of fates) choices.push(length);
    }
    this.choices = choices;
  }

  pick(ofNames: number, ofChanges: number): number[] {
    return this.choices.map((_, piece) => (piece < this.#names.length ? ofNames : ofChanges));
  }

  stateOf(picks: readonly number[]): CrashState {
    const tree = this.#treeOf(picks);
    return { tree, outcomes: tree.files.map((number) => this.#outcomeOf(number, picks)) };
  }

  #treeOf(picks: readonly number[]): NameTree {
    const key = picks.slice(0, this.#names.length).join();
    let tree = this.#trees.get(key);
    if (tree === undefined) {
      tree = nameTree(this.#image, new Set(this.#names.filter((_, index) => picks[index] === LOSE)));
      this.#trees.set(key, tree);
    }
    return tree;
  }

  #outcomeOf(number: number, picks: readonly number[]): FileOutcome | undefined {
    const file = this.#files.get(number);
    if (file === undefined) return undefined;
    const own = picks.slice(file.first, file.first + file.changes.length);
    const key = `${number}:${own.join()}`;
    let outcome = this.#outcomes.get(key);
    if (outcome === undefined) {
      outcome = applyFates(file, own);
      this.#outcomes.set(key, outcome);
    }
    return outcome;
  }
}

function applyFates({ changes, fates, durable }: UnsyncedFile, picks: readonly number[]): FileOutcome {
  const picked = fates.map((all, index) => all[picks[index] ?? KEEP] ?? KEPT);
  const bytes = changes.reduce(
    (before, change, index) => applyFate(before, change, picked[index] ?? KEPT),
    durable,
  );
  return { bytes, fates: picked };
}
