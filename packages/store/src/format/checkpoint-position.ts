/**
 * Where a checkpoint was written. A checkpoint that was copied or moved has a good checksum; only its place tells that it speaks of other records than
 * those before it.
 */

import { isSum } from "./checksum.ts";
import { isCount } from "./is-count.ts";

export interface CheckpointPlace {
  /** Of its line. */
  readonly offset: number;
  /** The checksum at the end of the line before it. */
  readonly before: string;
}

/** `undefined`: of an earlier version, which does not say it. */
export function decodePlace(offset: unknown, before: unknown): CheckpointPlace | undefined {
  return isCount(offset) && isSum(before) ? { offset, before } : undefined;
}

/** `sumBefore`: of the line before; `undefined`: that line is damaged or unknown, and says nothing against it. */
export function isWrittenAt(place: CheckpointPlace, offset: number, sumBefore: string | undefined): boolean {
  return place.offset === offset && (sumBefore === undefined || sumBefore === place.before);
}
