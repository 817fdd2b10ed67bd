/** What is wrong with the end of a sealed file, which the chain knows. Readers and verify ask this. */

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
    const reason = { code: "ends-early", at: size, of: sealed.bytes } as const;
    return { offset, bytes: sealed.bytes - offset, kind: "corrupt", reason };
  }
  // It ends where a write has ended; what is torn there was whole once.
  if (torn !== undefined) return { ...torn, kind: "corrupt" };
  if (seq >= sealed.last || isExplained) return undefined;
  const reason = { code: "missing", first: seq + 1, last: sealed.last, isBehindDamage: false } as const;
  return { offset: end, bytes: 0, kind: "corrupt", reason };
}
