/** Scopes as headings: `Everyone`, or `user "ann", channel "telegram:1"`. Names are JSON strings, so that none can be mistaken. */

import { isLonghandError } from "../../errors.ts";
import { tryParseJson } from "../../format/json.ts";
import { checkScope, SCOPE_FIELDS } from "../scope.ts";
import type { Scope } from "../types.ts";

const EVERYONE = "Everyone";
/** A plain name may stand without quotes, where a person has written it. */
const FIELD = /(user|channel|agent) +("(?:[^"\\]|\\.)*"|[\p{L}\p{N}_.:@+-]+)(?:, *|$)/uy;

export function headingOf(scope: Scope): string {
  const fields = SCOPE_FIELDS.flatMap((field) => {
    const name = scope[field];
    return name === undefined ? [] : [`${field} ${JSON.stringify(name)}`];
  });
  return fields.length === 0 ? EVERYONE : fields.join(", ");
}

/** `undefined`: not a scope. Nothing is guessed: a fact under a heading that is not understood must not become everyone's. */
export function parseHeading(heading: string): Scope | undefined {
  const text = heading.trim();
  if (text.toLowerCase() === EVERYONE.toLowerCase()) return {};
  const fields = new Map<string, unknown>();
  const pattern = new RegExp(FIELD);
  while (pattern.lastIndex < text.length) {
    const [, field, name] = pattern.exec(text) ?? [];
    if (field === undefined || name === undefined || fields.has(field)) return undefined;
    fields.set(field, name.startsWith('"') ? tryParseJson(name) : name);
  }
  try {
    return fields.size === 0 ? undefined : checkScope(Object.fromEntries(fields));
  } catch (error) {
    if (isLonghandError(error, "OPTION_INVALID")) return undefined;
    throw error;
  }
}
