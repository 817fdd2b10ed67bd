/** Marks the words of a query in a text that has been found by them. */

import { escapeLine } from "./escape-controls.ts";

/** The text is already escaped; `mark` colours one occurrence. Where letters differ in width or case, it still matches. */
export function highlightWords(text: string, query: string, mark: (word: string) => string): string {
  const words = query
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => escapeLine(word))
    .flatMap((word) => [word, word.normalize("NFKC")])
    // The longest first: of two words that begin alike the longer one is to be marked.
    .sort((a, b) => b.length - a.length);
  if (words.length === 0) return text;
  const pattern = new RegExp(words.map(literally).join("|"), "giu");
  return text.replace(pattern, (found) => mark(found));
}

function literally(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, (character) => `\\${character}`);
}
