/** Untrusted JSON is parsed here and nowhere else in this package, and is `unknown` until somebody has looked. */

/** Throws a SyntaxError. */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** `undefined`: it is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
