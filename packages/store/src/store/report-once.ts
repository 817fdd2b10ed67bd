import type { Damage } from "../record/session-record.ts";

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
    report(damage);
  };
}
