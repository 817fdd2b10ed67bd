const LONG_NUMBER = /-?[0-9][0-9.eE+-]{15,}/g;

/**
 * Do the numbers of this JSON text come back as they were, once parsed? A JavaScript number holds about 15 digits, and
 * programs in other languages write longer ones. Text that is no JSON gets any answer.
 */
export function numbersSurvive(json: string): boolean {
  let at = 0;
  while (at < json.length) {
    const quote = json.indexOf('"', at);
    const between = json.slice(at, quote === -1 ? undefined : quote);
    for (const [number] of between.matchAll(LONG_NUMBER)) if (String(Number(number)) !== number) return false;
    if (quote === -1) return true;
    at = endOfString(json, quote);
  }
  return true;
}

function endOfString(json: string, quote: number): number {
  let at = quote + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
