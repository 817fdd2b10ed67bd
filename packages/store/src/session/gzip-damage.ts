/** Damage in a compressed segment. */

import type { SealedReason } from "../format/damage-reason.ts";
import type { ScanDamage } from "../format/scan.ts";

export interface GzipDamage {
  /** Of the uncompressed bytes that are lost; `bytes` is 0 where only a header is damaged. */
  readonly offset: number;
  readonly bytes: number;
  readonly reason: SealedReason;
  /** Where in the file, for whoever keeps it aside. The next part begins behind it. */
  readonly compressed: { readonly offset: number; readonly bytes: number };
}

export function memberDamage({ offset, bytes, reason }: GzipDamage): ScanDamage {
  return { offset, bytes, kind: "corrupt", reason };
}

/** Whether this place lies in one that cannot be unpacked. Records that are missing are told right behind the member they were in. */
export function isInMember(
  place: { readonly offset: number; readonly bytes: number },
  members: readonly GzipDamage[],
): boolean {
  return members.some(({ offset, bytes }) => {
    const end = offset + bytes + (place.bytes === 0 ? 1 : 0);
    return bytes > 0 && place.offset < end && place.offset + Math.max(1, place.bytes) > offset;
  });
}
