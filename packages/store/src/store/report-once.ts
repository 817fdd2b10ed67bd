import type { Damage } from "../format/session-record.ts";
import { warnOfDamage } from "./warn.ts";

/** A place is met again with each reading; it is reported the first time. */
export function reportOnce(
  report: (damage: Damage) => void,
  nameOf: (damage: Damage) => string,
): (damage: Damage) => void {
  const reported = new Set<string>();
  return (damage) => {
    const name = nameOf(damage);
    if (reported.has(name)) return;
    reported.add(name);
    try {
      report(damage);
    } catch {
      // A handler that throws must not fail the read that met the damage.
      warnOfDamage(damage);
    }
  };
}
