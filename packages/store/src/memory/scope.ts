/**
 * Whose an entry is. A scope is compared by an encoding of its fields that no name can counterfeit: JSON, in a fixed
 * order, so that `{ user: "a" }` and `{ channel: "a" }`, or a name with quotes, slashes or NUL in it, never meet another's.
 * A field that is there but empty or `undefined` is refused: it would quietly make one person's facts everybody's.
 */

import { LonghandError } from "../errors.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import type { Scope } from "./types.ts";

export const SCOPE_FIELDS = ["user", "channel", "agent"] as const;
export type ScopeField = (typeof SCOPE_FIELDS)[number];

/** Leaves room for the number of a generation in a session's key. */
const MAX_CODE_BYTES = 1000;

/** A copy with nothing but the known fields; or an error that names the field. */
export function checkScope(scope: unknown): Scope {
  if (!isJsonObject(scope) || !hasPlainPrototype(scope)) {
    throw invalid("a scope is a plain object with user, channel, agent, or none of them", {});
  }
  for (const [field, value] of Object.entries(scope)) {
    if (!SCOPE_FIELDS.some((known) => known === field)) {
      throw invalid(`a scope has no field ${JSON.stringify(field)}; it has: ${SCOPE_FIELDS.join(", ")}`, {
        field,
      });
    }
    if (typeof value !== "string" || value === "") {
      throw invalid(
        `${field} of a scope is a string that is not empty; for a wider scope leave the field out`,
        { field },
      );
    }
  }
  const checked = fromPairs(pairsOf(scope));
  const bytes = Buffer.byteLength(scopeCode(checked));
  if (bytes > MAX_CODE_BYTES) {
    throw invalid(
      `the names in a scope have at most ${MAX_CODE_BYTES} bytes together, as JSON; these have ${bytes}: use shorter ones, or a hash of them`,
      { bytes, limit: MAX_CODE_BYTES },
    );
  }
  return checked;
}

/** The same text for the same scope, another for every other. Plain JSON: `[["user","ann"]]`. */
export function scopeCode(scope: Scope): string {
  // What could not stand in a session's key (NUL, half a surrogate pair) is an escape in JSON.
  return JSON.stringify(pairsOf(scope));
}

/** `undefined`: not the code of a scope. */
export function parseScopeCode(code: string): Scope | undefined {
  const pairs = tryParseJson(code);
  if (!Array.isArray(pairs) || !pairs.every(isPair)) return undefined;
  const scope = fromPairs(pairs);
  return scopeCode(scope) === code ? scope : undefined;
}

/**
 * The scopes whose entries may be told to an agent that works in `scope`: those made of some of its fields, each with
 * exactly its value. The scope itself comes first, the global one last.
 */
export function visibleScopes(scope: Scope): readonly Scope[] {
  const subsets = pairsOf(checkScope(scope)).reduce<Pair[][]>(
    (found, pair) => [...found, ...found.map((subset) => [...subset, pair])],
    [[]],
  );
  return subsets.sort((one, other) => other.length - one.length).map(fromPairs);
}

type Pair = readonly [ScopeField, string];

function pairsOf(scope: Readonly<Record<string, unknown>> | Scope): Pair[] {
  const values = new Map<string, unknown>(Object.entries(scope));
  return SCOPE_FIELDS.flatMap((field): Pair[] => {
    const value = values.get(field);
    return typeof value === "string" ? [[field, value]] : [];
  });
}

function fromPairs(pairs: readonly Pair[]): Scope {
  return Object.fromEntries(pairs);
}

function isPair(value: unknown): value is Pair {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    SCOPE_FIELDS.some((field) => field === value[0]) &&
    typeof value[1] === "string" &&
    value[1] !== ""
  );
}

/** What is inherited would not be seen, and its scope be wider than was meant. */
function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function invalid(message: string, detail: Readonly<Record<string, unknown>>): LonghandError {
  return new LonghandError("OPTION_INVALID", message, { option: "scope", ...detail });
}
