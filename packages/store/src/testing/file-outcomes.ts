/**
 * What a power loss may leave of one file. Each change that no sync has covered has its own fate, whatever the fates of
 * the others: it got in, it did not, or a part of it did. Changes overlap, so those that got in count in their order.
 */

import type { FileBytes } from "./file-bytes.ts";
import { applyChange, unsyncedChanges, type FileChange, type FileInode } from "./simulated-inode.ts";

/** The part of a disk that is written whole or not at all. */
const SECTOR = 512;
/** What a file system moves at once. A long write is taken apart into these, a short one into sectors. */
const BLOCK = 4096;
const MOST_SECTORS = 16;

export type Fate =
  | { readonly kind: "kept" }
  | { readonly kind: "lost" }
  /** Only bytes `from` to `to` of the write; `grown`: the size is that of the whole write, the rest reads as NUL. */
  | { readonly kind: "part"; readonly from: number; readonly to: number; readonly grown: boolean }
  /** All but bytes `from` to `to`: the pieces of a write get in in any order. */
  | { readonly kind: "gap"; readonly from: number; readonly to: number }
  /** NULs in place of all its bytes. */
  | { readonly kind: "nul" };

export const KEPT: Fate = { kind: "kept" };
export const LOST: Fate = { kind: "lost" };

export interface FileOutcome {
  readonly bytes: FileBytes;
  /** One for each change, the oldest first. */
  readonly fates: readonly Fate[];
}

/** First that it was kept, then that it was lost, then the parts. */
export function fatesOf(change: FileChange): readonly Fate[] {
  if (change.kind === "truncate") return [KEPT, LOST];
  const { length } = change.bytes;
  const cuts = cutsIn(change.position, length);
  const ends = new Set([cuts[0], cuts.at(-1)].filter((cut) => cut !== undefined));
  return [
    KEPT,
    LOST,
    { kind: "nul" },
    ...[...ends].map((from) => ({ kind: "part", from, to: length, grown: false }) as const),
    ...cuts.map((to) => ({ kind: "part", from: 0, to, grown: false }) as const),
    ...[0, ...cuts].map((to) => ({ kind: "part", from: 0, to, grown: true }) as const),
    ...innerPieces(change.position, length).flatMap(
      ([from, to]) =>
        [
          { kind: "gap", from, to },
          { kind: "part", from, to, grown: false },
        ] as const,
    ),
  ];
}

/** Where a write may be torn: at each border of a sector inside it, and once in the middle of one. */
function cutsIn(position: number, length: number): number[] {
  const cuts: number[] = [];
  const first = SECTOR - (position % SECTOR);
  for (let cut = first; cut < length; cut += SECTOR) cuts.push(cut);
  const half = length >> 1;
  const middle = cuts.includes(half) ? half + 1 : half;
  if (middle > 0 && middle < length) cuts.push(middle);
  return cuts.sort((a, b) => a - b);
}

/** The pieces of a write that have others before and behind them. */
function innerPieces(position: number, length: number): (readonly [from: number, to: number])[] {
  const size = length > MOST_SECTORS * SECTOR ? BLOCK : SECTOR;
  const pieces: (readonly [number, number])[] = [];
  for (let from = size - (position % size); from + size < length; from += size)
    pieces.push([from, from + size]);
  return pieces;
}

export function applyFate(bytes: FileBytes, change: FileChange, fate: Fate): FileBytes {
  if (fate.kind === "lost") return bytes;
  if (fate.kind === "kept" || change.kind === "truncate") return applyChange(bytes, change);
  if (fate.kind === "nul") return bytes.write(Buffer.alloc(change.bytes.length), change.position);
  if (fate.kind === "gap") {
    const beginning = bytes.write(change.bytes.subarray(0, fate.from), change.position);
    return beginning.write(change.bytes.subarray(fate.to), change.position + fate.to);
  }
  const part = bytes.write(change.bytes.subarray(fate.from, fate.to), change.position + fate.from);
  return fate.grown ? part.resize(Math.max(part.size, change.position + change.bytes.length)) : part;
}

/** Each different content once, the complete one first; `undefined` if there are more than `limit`. */
export function fileOutcomes(file: FileInode, limit: number): readonly FileOutcome[] | undefined {
  let outcomes: FileOutcome[] = [{ bytes: file.durable, fates: [] }];
  for (const change of unsyncedChanges(file)) {
    const fates = fatesOf(change);
    const next = new Map<bigint, FileOutcome>();
    for (const outcome of outcomes) {
      for (const fate of fates) {
        const bytes = applyFate(outcome.bytes, change, fate);
        if (!next.has(bytes.digest)) next.set(bytes.digest, { bytes, fates: [...outcome.fates, fate] });
      }
      if (next.size > limit) return undefined;
    }
    outcomes = [...next.values()];
  }
  return outcomes;
}

/** For failure messages: the changes that did not get in as a whole. */
export function tellFates(file: FileInode, number: number, fates: readonly Fate[]): string[] {
  return unsyncedChanges(file).flatMap((change, index) => {
    const fate = fates[index] ?? KEPT;
    return fate.kind === "kept" ? [] : [`#${number}: ${tellChange(change)}: ${tellFate(fate)}`];
  });
}

function tellChange(change: FileChange): string {
  return change.kind === "write"
    ? `write of ${change.bytes.length} bytes at ${change.position}`
    : `truncate to ${change.length}`;
}

function tellFate(fate: Exclude<Fate, { kind: "kept" }>): string {
  if (fate.kind === "lost") return "lost";
  if (fate.kind === "nul") return "NULs in its place";
  if (fate.kind === "gap") return `all but its bytes ${fate.from} to ${fate.to}`;
  return `only its bytes ${fate.from} to ${fate.to}${fate.grown ? ", the size grown" : ""}`;
}
