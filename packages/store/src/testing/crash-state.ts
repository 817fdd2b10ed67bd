/** One state in which a power loss may leave a disk: an outcome of the names, with an outcome of each file. */

import { tellFates, type FileOutcome } from "./file-outcomes.ts";
import { fileIn } from "./inode-table.ts";
import type { NameTree } from "./name-outcomes.ts";
import type { DiskImage } from "./simulated-disk.ts";
import { withDurableBytes } from "./simulated-inode.ts";

export interface CrashState {
  readonly tree: NameTree;
  /** One for each of the tree's files, in its order; `undefined`: all of it was durable. */
  readonly outcomes: readonly (FileOutcome | undefined)[];
}

/** The disk as it is found after the power loss: all that is seen is durable. */
export function imageOfState(before: DiskImage, { tree, outcomes }: CrashState): DiskImage {
  const inodes = new Map(tree.inodes);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) continue;
    const number = tree.files[index] ?? 0;
    inodes.set(number, withDurableBytes(fileIn(inodes, number), outcome.bytes));
  }
  return { inodes, nameChanges: [], nextInode: before.nextInode };
}

/** For failure messages: what the power loss took. */
export function tellState(before: DiskImage, { tree, outcomes }: CrashState): string {
  const losses = [
    ...tree.lost.map(({ text }) => `${text}: lost`),
    ...outcomes.flatMap((outcome, index) => {
      const number = tree.files[index] ?? 0;
      return outcome === undefined ? [] : tellFates(fileIn(before.inodes, number), number, outcome.fates);
    }),
  ];
  return losses.length === 0 ? "power loss; nothing lost" : `power loss\n  ${losses.join("\n  ")}`;
}

/** Keeps each different state once. Two are the same if names, modes, links and contents are. */
export class DistinctStates {
  readonly states: CrashState[] = [];
  readonly #keys = new Set<string>();
  readonly #numbers = new Map<string | bigint, number>();

  add(state: CrashState): void {
    const { tree, outcomes } = state;
    let key = String(this.#number(tree.shape));
    for (const [index, file] of tree.files.entries()) {
      key += `,${this.#number((outcomes[index]?.bytes ?? fileIn(tree.inodes, file).durable).digest)}`;
    }
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.states.push(state);
  }

  /** Short in place of long, so that keys stay small. */
  #number(long: string | bigint): number {
    let number = this.#numbers.get(long);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(long, number);
    }
    return number;
  }
}
