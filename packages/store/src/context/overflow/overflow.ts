/**
 * Owns the answer to one question: has the provider refused a request because it does not fit into the context window? A
 * wrong yes would cost the user history for nothing, so only known words and codes count (overflow-texts.ts), and only
 * where a provider's own answer is kept, never in what the error repeats of the request.
 */

import { isJsonObject, tryParseJson } from "../../format/json.ts";
import { OVERFLOW_CODES, readOverflowText, withoutWrapping, type ContextOverflow } from "./overflow-texts.ts";

export type { ContextOverflow } from "./overflow-texts.ts";

/** Where clients keep what the provider answered. Not `request`, `config`, `requestBodyValues` or `messages`. */
const INNER = [
  ...["error", "cause", "data", "responseBody", "response", "body", "lastError", "errors", "metadata", "raw"],
  // Gemini answers with an array.
  ...["0", "1", "2"],
];
const CODES = ["code", "type", "status"] as const;
const TEXTS = ["message", "detail"] as const;
const MAX_DEPTH = 8;
const MAX_VISITED = 60;
/** Longer ones are no error messages. */
const LONGEST_JSON = 65_536;

/** Takes whatever was thrown, never throws itself. `undefined`: it is something else, or cannot be told. */
export function contextOverflow(error: unknown): ContextOverflow | undefined {
  return searchIn(error, 0, new Set());
}

function searchIn(value: unknown, depth: number, visited: Set<object>): ContextOverflow | undefined {
  if (typeof value === "string") return searchInText(value, depth, visited);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH || visited.size >= MAX_VISITED || visited.has(value)) return undefined;
  visited.add(value);
  const own = readObject(value);
  if (own?.limit !== undefined || own?.needed !== undefined) return own;
  return searchInside(value, depth, visited) ?? own;
}

function searchInside(value: object, depth: number, visited: Set<object>): ContextOverflow | undefined {
  // Some clients put the whole answer of a provider into the message, as JSON.
  for (const name of [...INNER, ...TEXTS]) {
    const found = searchIn(property(value, name), depth + 1, visited);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the object itself says, without what it contains. */
function readObject(value: object): ContextOverflow | undefined {
  const coded = CODES.some((name) => {
    const code = property(value, name);
    return typeof code === "string" && OVERFLOW_CODES.has(code);
  });
  for (const name of TEXTS) {
    const text = property(value, name);
    const read = typeof text === "string" ? readOverflowText(text) : undefined;
    if (read !== undefined) return { ...read, ...llamaNumbers(value) };
  }
  return coded ? llamaNumbers(value) : undefined;
}

/** llama.cpp has them in fields of their own. */
function llamaNumbers(value: object): ContextOverflow {
  const limit = property(value, "n_ctx");
  const needed = property(value, "n_prompt_tokens");
  return {
    ...(typeof limit === "number" ? { limit } : {}),
    ...(typeof needed === "number" ? { needed } : {}),
  };
}

function searchInText(text: string, depth: number, visited: Set<object>): ContextOverflow | undefined {
  const bare = withoutWrapping(text.slice(0, LONGEST_JSON).trim());
  if (!/^[[{]/.test(bare) || text.length > LONGEST_JSON) return readOverflowText(text);
  const parsed = tryParseJson(bare);
  return isJsonObject(parsed) || Array.isArray(parsed) ? searchIn(parsed, depth + 1, visited) : undefined;
}

/** An error can be any object: a getter may throw, a proxy may do anything. */
function property(value: object, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
