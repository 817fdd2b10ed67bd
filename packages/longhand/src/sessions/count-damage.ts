/** How much damage there is: one number with one meaning for every command, that of `store.verify()`. Pure. */

import type { Damage, VerifyReport } from "@longhand/store";
import { countOf } from "../terminal/format-count.ts";
import type { UnreadableSession } from "./unreadable-session.ts";

export interface FoundDamage {
  readonly report: Pick<VerifyReport, "damage">;
  /** Beside what is in the report. */
  readonly unreadable: readonly UnreadableSession[];
}

/** A file that this user may not read is not known to be damaged, and is counted by itself. */
export function isDamagedPlace({ notPermitted }: Damage): boolean {
  return notPermitted === undefined;
}

/** "9 damaged places", "1 damaged place and 2 files that cannot be read". */
export function describeFound({ report, unreadable }: FoundDamage): string {
  const places = report.damage.filter(isDamagedPlace).length;
  const files = report.damage.length - places + unreadable.length;
  return [
    ...(places > 0 || files === 0 ? [countOf(places, "damaged place")] : []),
    ...(files === 0 ? [] : [`${countOf(files, "file")} that cannot be read`]),
  ].join(" and ");
}
