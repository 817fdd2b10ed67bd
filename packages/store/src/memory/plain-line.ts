/**
 * Somebody's text as one line that cannot be taken for anything else: no line breaks, nothing invisible, no markers with
 * which models are told who speaks. The words stay as they are.
 */

/**
 * What joins letters or pictures, or chooses one of their forms, belongs to the word where it follows such a one; of choices
 * only one, since a row of them can hide a message.
 */
const JOINER = String.raw`(?<=(?!\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}][\uFE00-\uFE0F]?)[\u200C\u200D]`;
const FORM = String.raw`(?<=(?!\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}0-9#*])[\uFE00-\uFE0F]`;
const HAN_FORM = String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`;
const MONGOLIAN_FORM = String.raw`(?<=(?!\p{DI})\p{Script=Mongolian})[\u180B-\u180D\u180F]`;
/** Control characters; marks that turn the direction of text; letters that are not shown at all. */
const INVISIBLE = String.raw`[\p{Cc}\p{DI}\u2028-\u202E\uFFF9-\uFFFB]`;
const SELDOM_SEEN = new RegExp(
  `(?<kept>${JOINER}|${FORM}|${HAN_FORM}|${MONGOLIAN_FORM})|(?<hidden>${INVISIBLE})`,
  "gu",
);
/** As models' templates have them: `<|im_start|>`, `<start_of_turn>`, `</s>`, `[INST]`, `<<SYS>>`. */
const ROLE_MARKER = /<\||\|>|<<\/?SYS>>|<\/?s>|<(?:start|end)_of_turn>|<[/]?(?:bos|eos)>|\[\/?INST\]/giu;

export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .trim()
    .replace(/\s*[\n\r\u0085\u2028\u2029]\s*/gu, " ")
    .replace(SELDOM_SEEN, (character, kept: string | undefined) => kept ?? shown(character))
    .replace(ROLE_MARKER, (marker) => `${marker.slice(0, 1)} ${marker.slice(1)}`);
}

function shown(character: string): string {
  return character === "\t" ? " " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
