/**
 * Counts how often a session of a key has left the active place, so that a reader can tell whether one could have passed
 * it by. Beside the key's lease lies an empty file `NAME.moved.N`; the highest N counts. It is raised under the lease,
 * before an active file is archived or deleted. Nothing here is synced: no reader survives a power cut.
 *
 * Why this is enough: while N stays the same, at most one active file of the key leaves its place (the one for which N was
 * raised before). All other moves lead from archive/ to trash/ or back to the active place. So within that time a session
 * goes through active, archived, trashed, active in this order only, and whoever looks there in this order meets it.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { namesIn } from "../../host/names-in.ts";
import { placeMark, removeIfThere } from "../../host/small-files.ts";
import { SESSION_SUFFIX } from "../../format/key.ts";
import { isLeaseName, leaseShard, type Layout, type LeaseName } from "../../format/layout.ts";

const MARK = /^(.+)\.moved\.([0-9]{1,15})$/;
const SHARD = /^[0-9a-f]{2}$/;

/** Before an active file gets another name. The caller holds the lease, so that the next number is nobody else's. */
export async function markMove(files: FileSystem, layout: Layout, leaseName: LeaseName): Promise<void> {
  const shard = leaseShard(layout, leaseName);
  const path = (number: number): string => `${shard}/${leaseName}.moved.${number}`;
  try {
    const numbers = (await marksIn(files, shard)).filter(({ name }) => name === leaseName);
    const newest = highest(numbers);
    await placeMark(files, path(newest + 1));
    // The one before stays: a directory that is read just now must show one of the two.
    for (const { number } of numbers) if (number < newest) await removeIfThere(files, path(number));
  } catch (error) {
    throw ioError(error, "noting that the session moves", path(0));
  }
}

/** 0: none has ever left. */
async function movesOf(files: FileSystem, layout: Layout, leaseName: LeaseName): Promise<number> {
  const marks = await marksIn(files, leaseShard(layout, leaseName));
  return highest(marks.filter(({ name }) => name === leaseName));
}

/** By lease name; keys of which none has ever left are not in it. */
export async function movesOfAll(files: FileSystem, layout: Layout): Promise<ReadonlyMap<LeaseName, number>> {
  const moves = new Map<LeaseName, number>();
  for (const shard of await namesIn(files, layout.leases)) {
    if (!SHARD.test(shard)) continue;
    for (const { name, number } of await marksIn(files, `${layout.leases}/${shard}`))
      moves.set(name, Math.max(number, moves.get(name) ?? 0));
  }
  return moves;
}

/**
 * For whoever looks for the sessions of one key in the order active, archived, trashed, active, as far as it wants to find
 * one there. A look is needed first, and again if a session may have passed it by: `while (await look.isNeeded()) …`
 */
export class SettledLook {
  readonly #count: () => Promise<number>;
  readonly #leaseName: LeaseName;
  #looks = 0;
  #moves: number | undefined;

  constructor(files: FileSystem, layout: Layout, leaseName: LeaseName) {
    this.#leaseName = leaseName;
    this.#count = async () => await movesOf(files, layout, leaseName);
  }

  /** Rejects when there is no end of it. */
  async isNeeded(): Promise<boolean> {
    const moves = await this.#count();
    if (moves === this.#moves) return false;
    if (this.#looks === MOST_LOOKS) throw movedTooOften(this.#leaseName);
    this.#moves = moves;
    this.#looks++;
    return true;
  }
}

/** Between two of them another process has archived or deleted a session, which takes longer than a look. */
const MOST_LOOKS = 100;

function movedTooOften(leaseName: LeaseName): LonghandError {
  const message = `the session in ${leaseName}${SESSION_SUFFIX} was archived or deleted again and again while it was looked for; try again`;
  return new LonghandError("SESSION_LOCKED", message, { name: leaseName, looks: MOST_LOOKS });
}

interface Mark {
  readonly name: LeaseName;
  readonly number: number;
}

async function marksIn(files: FileSystem, shard: string): Promise<Mark[]> {
  return (await namesIn(files, shard)).flatMap((entry) => {
    const [, name, number] = MARK.exec(entry) ?? [];
    return name === undefined || !isLeaseName(name) ? [] : [{ name, number: Number(number) }];
  });
}

function highest(marks: readonly Mark[]): number {
  return marks.reduce((most, { number }) => Math.max(most, number), 0);
}
