const LONG_NUMBER = /-?[0-9][0-9.eE+-]{15,}/g;

/**
 * JSON text whose numbers survive being parsed: one with more digits than a JavaScript number holds becomes a string.
 * Its type changes, no digit does.
 */
export function quoteLongNumbers(json: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < json.length) {
    const quote = json.indexOf('"', at);
    const between = json.slice(at, quote === -1 ? undefined : quote);
    parts.push(
      between.replace(LONG_NUMBER, (number) => (String(Number(number)) === number ? number : `"${number}"`)),
    );
    if (quote === -1) break;
    const end = endOfString(json, quote);
    parts.push(json.slice(quote, end));
    at = end;
  }
  return parts.join("");
}

/** Behind the string that begins at `quote`, or behind everything if it never ends. */
export function endOfString(json: string, quote: number): number {
  let at = quote + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
