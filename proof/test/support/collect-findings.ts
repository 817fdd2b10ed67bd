import type { Findings } from "../../part.ts";

/** Counts, and forgets the rest. */
export function collectFindings(): { readonly findings: Findings; readonly counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  const count = (name: string, by = 1): void => {
    counts[name] = (counts[name] ?? 0) + by;
  };
  return { counts, findings: { count, distinct: () => undefined, note: () => undefined } };
}
