/**
 * The beginning and the end of a text that is too long, two thirds and one third, with a mark between them that says how
 * much is missing. The result is at most `limit` characters long, the mark included; no character is cut in two.
 */
export function shortenMiddle(text: string, limit: number, mark: (left: number) => string): string {
  if (text.length <= limit) return text;
  // The number in the mark can only get shorter when less is left out.
  const room = Math.max(0, limit - mark(text.length).length);
  const head = wholeUpTo(text, Math.ceil((room * 2) / 3));
  const tail = wholeFrom(text, text.length - (room - Math.ceil((room * 2) / 3)));
  return text.slice(0, head) + mark(tail - head) + text.slice(tail);
}

function wholeUpTo(text: string, end: number): number {
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function wholeFrom(text: string, start: number): number {
  return isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
