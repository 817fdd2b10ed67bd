/**
 * Text from files and programs, made fit to be shown: to a model, in a transcript, on a terminal. Nothing in it can move a cursor,
 * set a title, hide or reorder what follows; and nothing vanishes, for what was a control character is seen as one.
 */

/** Bytes that are not UTF-8 become U+FFFD; a byte-order mark stays, and is seen. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Line feeds and tabs stay, CR LF becomes a line feed, every other control character a picture or its code point. Idempotent. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").toWellFormed().replace(UNFIT, show);
}

// C0 without tab and line feed, DEL, C1; overrides that reorder text; "tag" characters, which are invisible and can carry whole
// sentences. The joiners U+200C and U+200D stay: scripts and emoji need them.
const UNFIT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

const DELETE = 0x7f;
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = "\u2421";

function show(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(PICTURES + code);
  if (code === DELETE) return PICTURE_OF_DELETE;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
