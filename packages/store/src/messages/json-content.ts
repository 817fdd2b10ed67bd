/** A result that is any JSON value, as the text of a message, and back. */

import { tryParseJson } from "../format/json.ts";

export function jsonContent(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** The value that has exactly this JSON text. Any other text is the value itself: nothing is rounded or rewritten. */
export function jsonValue(content: string): unknown {
  const value = tryParseJson(content);
  return value !== undefined && JSON.stringify(value) === content ? value : content;
}
