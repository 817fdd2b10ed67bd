/**
 * A scope of the memory as a person reads and types it: `user=ann,channel=web`, or `global`. Names come from anywhere; one with
 * a comma, a quote or something invisible in it stands in quotes, as in JSON, so that no name looks like another scope.
 */

import type { Scope } from "@longhand/store/memory";
import { InvalidArgumentError } from "commander";
import { escapeKey } from "./escape-controls.ts";

const FIELDS = ["user", "channel", "agent"] as const;
const GLOBAL = "global";
const PAIR = /^(?<field>[a-z]+)=(?:(?<quoted>"(?:[^"\\]|\\.)*")|(?<plain>[^",]+))(?:,|$)/u;

export function formatScope(scope: Scope): string {
  const pairs = FIELDS.flatMap((field) => {
    const name = scope[field];
    return name === undefined ? [] : [`${field}=${isPlain(name) ? name : quoted(name)}`];
  });
  return pairs.length === 0 ? GLOBAL : pairs.join(",");
}

function isPlain(name: string): boolean {
  return !/[",\\]/.test(name) && escapeKey(name) === name;
}

/** As JSON, with an escape for each character that a terminal would act on or not show. */
function quoted(name: string): string {
  const shown = (character: string): string =>
    escapeKey(character) === character ? character : character.split("").map(asEscape).join("");
  return Array.from(JSON.stringify(name), shown).join("");
}

function asEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The value of `--scope`. */
export function parseScope(text: string): Scope {
  if (text === GLOBAL) return {};
  const scope: Partial<Record<(typeof FIELDS)[number], string>> = {};
  for (let rest = text; rest !== "";) {
    const match = PAIR.exec(rest);
    const { field: name, quoted: inQuotes, plain = "" } = match?.groups ?? {};
    const field = FIELDS.find((known) => known === name);
    if (match === null || field === undefined || scope[field] !== undefined) throw notAScope();
    const value = inQuotes === undefined ? plain : unquoted(inQuotes);
    if (value === "") throw notAScope();
    scope[field] = value;
    rest = rest.slice(match[0].length);
  }
  if (Object.keys(scope).length === 0 || text.endsWith(",")) throw notAScope();
  return scope;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw notAScope();
  }
}

function notAScope(): InvalidArgumentError {
  return new InvalidArgumentError(
    'It must be such as user=ann, or user=ann,channel=web,agent=helper, or global. A name with a comma is given in quotes: user="a,b".',
  );
}
