/**
 * What a model has answered when asked what to remember. Models put fences and prose around JSON, and some answer in the
 * older form with one `memory_update`; what is not understood is `undefined`, never guessed.
 */

import { isJsonObject, tryParseJson } from "../format/json.ts";

export interface Answer {
  readonly happened: string;
  readonly facts: readonly AnsweredFact[];
}

export interface AnsweredFact {
  readonly text: string;
  readonly confidence: number | undefined;
  /** The words it is taken from. */
  readonly quote: string | undefined;
  /** Numbers of the known facts whose place it takes. */
  readonly replaces: readonly number[];
}

const LONGEST_ANSWER = 64 * 1024;
const MOST_STARTS = 20;
const MOST_FACTS = 5;
const LONGEST_ENTRY = 1000;
const LONGEST_FACT = 500;

export function readAnswer(answer: string): Answer | undefined {
  for (const value of candidates(answer.slice(0, LONGEST_ANSWER))) {
    const read = isJsonObject(value) ? toAnswer(value) : undefined;
    if (read !== undefined) return read;
  }
  return undefined;
}

/** The objects in a text, wherever they stand, outermost first. */
function* candidates(text: string): Iterable<unknown> {
  let start = text.indexOf("{");
  for (let tried = 0; start !== -1 && tried < MOST_STARTS; tried += 1) {
    const end = endOfObject(text, start);
    if (end !== undefined) yield tryParseJson(text.slice(start, end).replaceAll(/,(\s*[}\]])/gu, "$1"));
    start = text.indexOf("{", end ?? start + 1);
  }
}

/** Behind the brace that closes the one at `start`; braces in strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{") depth += 1;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

function toAnswer(value: Readonly<Record<string, unknown>>): Answer | undefined {
  const { history_entry: happened, facts, memory_update: update } = value;
  if (typeof happened !== "string" || happened.trim() === "") return undefined;
  const listed = Array.isArray(facts) ? facts : typeof update === "string" ? [update] : [];
  return {
    happened: happened.trim().slice(0, LONGEST_ENTRY).toWellFormed(),
    facts: listed.flatMap(toFact).slice(0, MOST_FACTS),
  };
}

function toFact(value: unknown): readonly AnsweredFact[] {
  const object = isJsonObject(value) ? value : { text: value };
  const { text, confidence, quote, replaces } = object;
  if (typeof text !== "string" || text.trim() === "") return [];
  const isShare = typeof confidence === "number" && confidence >= 0 && confidence <= 1;
  const numbers = Array.isArray(replaces) ? replaces : [replaces];
  return [
    {
      text: text.trim().slice(0, LONGEST_FACT).toWellFormed(),
      confidence: isShare ? confidence : undefined,
      quote: typeof quote === "string" && quote.trim() !== "" ? quote.trim() : undefined,
      replaces: numbers.filter((each): each is number => Number.isSafeInteger(each)),
    },
  ];
}
