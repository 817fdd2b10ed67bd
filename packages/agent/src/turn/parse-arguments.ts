/** The arguments of a call, as far as a session can keep them: what can be written as JSON is not always what was read from it. */

import { tryParseJson } from "../parse-json.ts";

/** Of objects and arrays in each other. The store takes more, but nobody's arguments have so many. */
export const DEEPEST_ARGUMENTS = 100;

/** `undefined`: they are no JSON, or have a number like 1e999, or too many levels. */
export function parseArguments(text: string): unknown {
  const value = tryParseJson(text);
  return canBeKept(value, DEEPEST_ARGUMENTS) ? value : undefined;
}

function canBeKept(value: unknown, levels: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => canBeKept(inner, levels - 1));
}
