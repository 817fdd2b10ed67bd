import { isJsonObject } from "../format/json.ts";
import type { Fields } from "./foreign.ts";
import { notAMessage } from "./foreign-format.ts";

/** A part of a message's content, which has a type in every format. */
export function typedPart(part: unknown): Fields & { readonly type: string } {
  if (isTypedPart(part)) return part;
  throw notAMessage('each part of its content must have a "type"');
}

export function isTypedPart(part: unknown): part is Fields & { readonly type: string } {
  return isJsonObject(part) && typeof part["type"] === "string";
}
