/** Numbers as they stand in lines: whole, from 0 on, exact. */

import type { SeqRange } from "./entry.ts";

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isRange(value: unknown): value is SeqRange {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}
