/** Words as a POSIX shell takes them: for commands that are printed to be pasted. */

import { escapeKey } from "./escape-controls.ts";

const NEEDS_NO_QUOTES = /^[A-Za-z0-9_/.:=@%+,-]+$/;

export function shellQuote(word: string): string {
  return NEEDS_NO_QUOTES.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** As the last argument of a command. A key that cannot be printed as it is cannot be pasted: KEY stands for it. */
export function keyInCommand(key: string): string {
  if (escapeKey(key) !== key) return "KEY";
  return key.startsWith("-") ? `-- ${shellQuote(key)}` : shellQuote(key);
}
