/** JSON in which one value is replaced by another that its reader may not expect. Text in, text out. */

import type { SeededRandom } from "@longhand/store/testing";

/** As they stand in the text, so that numbers no program would write are among them. */
const EXTREMES: readonly string[] = [
  ...["-1", "0", "1", "2", "1.5", "255", "65536", "2147483648", "4294967295", "4294967296", "1e308", "-0"],
  ...["9007199254740990", "9007199254740991", "9007199254740992", "99999999999999999999"],
  ...["null", "true", "false", '""', '"x"', "[]", "{}", "[[]]", "[[1,9007199254740991]]", "[[5,2]]"],
  ...['"\\u0000"', '"\\ud800"', '"__proto__"', '"../../../etc/passwd"', '"2026-13-45"'],
  ...['{"__proto__":{"a":1}}', '{"role":"user"}', '{"role":"user","content":[{"type":"text"}]}'],
];
const DEPTHS = [600, 20_000];
/** A value behind a colon or in an array: a string, a number, a word. What is nested is reached from inside. */
const VALUE = /(?<=[:[,])(?:"(?:[^"\\]|\\.)*"(?!:)|-?[0-9][0-9.e+-]*|true|false|null)/g;

export function extremeValue(random: SeededRandom): string {
  const choice = random.below(EXTREMES.length + 2);
  if (choice < EXTREMES.length) return EXTREMES[choice] ?? "null";
  if (choice === EXTREMES.length) return JSON.stringify("y".repeat(1 + random.below(5000)));
  const depth = DEPTHS[random.below(200) === 0 ? 1 : 0] ?? 1;
  return "[".repeat(depth) + "]".repeat(depth);
}

/** One value of the text, or none if it has none. */
export function replaceValue(text: string, random: SeededRandom): string {
  const values = [...text.matchAll(VALUE)];
  const chosen = values[random.below(values.length)];
  if (chosen === undefined) return text;
  const end = chosen.index + chosen[0].length;
  return text.slice(0, chosen.index) + extremeValue(random) + text.slice(end);
}

/** Each leads out of the store from one of the places where a path of a store begins. */
export const HOSTILE_NAMES: readonly string[] = [
  ...["..", "../x", "../../x", "../../../x", "/../x", "/../../x", "/../../../x", "/etc/x", "x/../../y"],
  ...["../x.jsonl", "../../x.jsonl", "a.jsonl/../../x.jsonl", "01JCW0000000000000000000A/", ".", "", "é"],
];
const NAME = /"(?:id|session|name|instance|key)":"(?:[^"\\]|\\.)*"/g;

/** One id or name of the text becomes a path, or none if it has none. */
export function replaceName(text: string, random: SeededRandom): string {
  const at = random.below(countNames(text));
  return replaceNameAt(text, at, HOSTILE_NAMES[random.below(HOSTILE_NAMES.length)] ?? "");
}

/** How many ids and names are in the text. */
export function countNames(text: string): number {
  return [...text.matchAll(NAME)].length;
}

/** The text with another name in place of the one at `at`; as it is, if there is none. */
export function replaceNameAt(text: string, at: number, name: string): string {
  const chosen = [...text.matchAll(NAME)][at];
  if (chosen === undefined) return text;
  const field = chosen[0].slice(0, chosen[0].indexOf(":"));
  const end = chosen.index + chosen[0].length;
  return `${text.slice(0, chosen.index)}${field}:${JSON.stringify(name)}${text.slice(end)}`;
}

/** A field and its value are taken out, or put in twice. */
export function changeFields(text: string, random: SeededRandom): string {
  const fields = [...text.matchAll(/,?"[a-zA-Z]+":(?:"(?:[^"\\]|\\.)*"|-?[0-9.]+|true|false|null)/g)];
  const chosen = fields[random.below(fields.length)];
  if (chosen === undefined) return text;
  const end = chosen.index + chosen[0].length;
  return text.slice(0, chosen.index) + (random.below(2) === 0 ? "" : chosen[0].repeat(2)) + text.slice(end);
}
