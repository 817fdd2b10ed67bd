/** A result that is any JSON value, as the text of a message, and back. */

import { tryParseJson } from "../record/json.ts";

export function jsonContent(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** Text that was changed since, and is no JSON any more, is the value itself. */
export function jsonValue(content: string): unknown {
  return tryParseJson(content) ?? content;
}
