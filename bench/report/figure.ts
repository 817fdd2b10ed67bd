/** Numbers as the tables and charts write them. */

import type { Spread } from "../statistics.ts";

/** Three digits that matter, thousands with a comma; counts as they are. */
export function figure(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(value >= 1 ? 2 : 3);
}

export function range({ min, max }: Spread): string {
  return `${figure(min)}..${figure(max)}`;
}
