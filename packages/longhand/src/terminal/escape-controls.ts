/**
 * Makes text safe to print. Keys and messages come from anywhere: an ESC in them could retitle a terminal or hide what
 * was printed, a lone CR overwrite a line, a bidi control show it in another order. Such characters are printed as
 * `\x1b`, `\u202e` and the like. Never used for JSON, which must keep the text exactly.
 */

/**
 * C0 and C1 controls, line and paragraph separators, the bidi controls that reorder, the invisible tag characters. The
 * left-to-right and right-to-left marks stay: right-to-left prose is full of them, and they move nothing far.
 */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
/** Two keys that differ in these only would look the same. The joiners are part of letters and stay. */
const INVISIBLE_IN_KEYS = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]/gu;
const TAB = "    ";

/** For text of many lines: line ends stay, tabs become spaces. */
export function escapeControls(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", TAB)
    .replace(CONTROLS, (character) => (character === "\n" ? character : escapeOf(character)));
}

export function escapeKey(key: string): string {
  return escapeLine(key).replace(INVISIBLE_IN_KEYS, escapeOf);
}

/** For titles, names and other text that must stay on its line. */
export function escapeLine(text: string): string {
  return text.replace(CONTROLS, escapeOf);
}

/** For a short view of a long text: its white space is not worth showing. */
export function onOneLine(text: string): string {
  return escapeLine(text.replace(/\s+/gu, " ").trim());
}

function escapeOf(character: string): string {
  const known = SHORT[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
