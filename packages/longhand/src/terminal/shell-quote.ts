/** Words as a shell takes them: for commands that are printed to be pasted. */

import { escapeKey } from "./escape-controls.ts";

const NEEDS_NO_QUOTES = /^[A-Za-z0-9_/.:=@%+,-]+$/;

/** What a terminal would act on is given in `$'…'`, which bash, zsh and ksh know; all else is for any POSIX shell. */
export function shellQuote(word: string): string {
  if (NEEDS_NO_QUOTES.test(word)) return word;
  if (escapeKey(word) !== word) return `$'${Array.from(word, inDollarQuotes).join("")}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** As the last argument of a command. */
export function keyInCommand(key: string): string {
  return key.startsWith("-") ? `-- ${shellQuote(key)}` : shellQuote(key);
}

function inDollarQuotes(character: string): string {
  if (character === "\\" || character === "'") return `\\${character}`;
  if (escapeKey(character) === character) return character;
  const short = SHORT[character];
  if (short !== undefined) return short;
  // Byte by byte: `\u` depends on the locale of the shell.
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
