/**
 * Somebody's text as one line that cannot be taken for anything else: no line breaks, nothing invisible, no markers with
 * which models are told who speaks. The words stay as they are.
 */

/** Control characters; marks that turn the direction of text; letters that are not shown at all. */
const INVISIBLE = /[\p{Cc}\u200B\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;
/** As models' templates have them: `<|im_start|>`, `<start_of_turn>`, `</s>`, `[INST]`, `<<SYS>>`. */
const ROLE_MARKER = /<\||\|>|<<\/?SYS>>|<\/?s>|<(?:start|end)_of_turn>|<[/]?(?:bos|eos)>|\[\/?INST\]/giu;

export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .trim()
    .replace(/\s*[\n\r\u0085\u2028\u2029]\s*/gu, " ")
    .replace(INVISIBLE, (character) => (character === "\t" ? " " : shown(character)))
    .replace(ROLE_MARKER, (marker) => `${marker.slice(0, 1)} ${marker.slice(1)}`);
}

function shown(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
