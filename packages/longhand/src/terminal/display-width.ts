/** How many columns a text takes on a terminal, and cutting it to a number of them. For text without controls. */

const PLAIN = /^[\x20-\x7e]*$/;
const INVISIBLE = /^[\p{Mark}\p{Format}]+$/u;
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

/** Made by its first use: it takes some milliseconds, and most texts are plain. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOf(segment);
  return width;
}

/** The whole text, or what fits with `…` at its end. */
export function fitToWidth(text: string, width: number): string {
  // One character is at least one unit of UTF-16: what is as short as that fits, unless some are wide.
  if (PLAIN.test(text) && text.length <= width) return text;
  // A long text is cut before it is measured: a column is seldom more than a few units.
  const head = text.length > width * 16 + 64 ? text.slice(0, width * 16 + 64) : text;
  if (head === text && displayWidth(text) <= width) return text;
  return width < 1 ? "" : splitAtWidth(head, width - 1)[0] + "…";
}

/** Before and after that many columns; never inside of what is seen as one character. */
export function splitAtWidth(text: string, width: number): readonly [string, string] {
  if (PLAIN.test(text)) return [text.slice(0, width), text.slice(width)];
  let used = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += widthOf(segment);
    if (used > width) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ""];
}

export function padToWidth(text: string, width: number, align: "left" | "right" = "left"): string {
  const padding = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + padding : padding + text;
}

function widthOf(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
