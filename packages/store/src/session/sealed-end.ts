/** What is wrong with the end of a sealed file, which the chain knows: the words are the same for readers and for verify. */

import { missing } from "../format/line-order.ts";
import type { ScanDamage, ScanEnd } from "../format/scan.ts";

export interface SealedEnd {
  readonly last: number;
  readonly bytes: number;
}

/** `size`: of the file; `isExplained`: something behind the last checkpoint was reported already. */
export function damageAtEnd(
  { torn, seq, end }: ScanEnd,
  size: number,
  sealed: SealedEnd,
  isExplained: boolean,
): ScanDamage | undefined {
  if (size < sealed.bytes) {
    // With what is left of the line in which it ends.
    const offset = torn?.offset ?? size;
    const reason = `the file ends too early, at byte ${size} of ${sealed.bytes}`;
    return { offset, bytes: sealed.bytes - offset, kind: "corrupt", reason };
  }
  // It ends where a write has ended; what is torn there was whole once.
  if (torn !== undefined) return { ...torn, kind: "corrupt" };
  if (seq >= sealed.last || isExplained) return undefined;
  return { offset: end, bytes: 0, kind: "corrupt", reason: missing(seq + 1, sealed.last) };
}
