import { expect, test } from "vitest";
import { LeadingAside } from "../../src/chat/leading-aside.ts";

/** What comes out of an answer in these pieces. */
function parted(...pieces: readonly string[]): [asides: number, text: string] {
  const aside = new LeadingAside("I am none.");
  const given = [...pieces.map((piece) => aside.push(piece)), aside.end(), aside.end()];
  return [given.filter(({ isAside }) => isAside).length, given.map(({ text }) => text).join("")];
}

test.each([
  [["I am none."], 1, ""],
  [["I am ", "none.", "\n", "\nHello ", "you"], 1, "Hello you"],
  [["I am none.\n\n", "I am none."], 1, "I am none."],
  [["I am", " here"], 0, "I am here"],
  [["I am"], 0, "I am"],
  [["Hello. ", "I am none."], 0, "Hello. I am none."],
  [[], 0, ""],
])("%j", (pieces, asides, text) => {
  expect(parted(...pieces)).toEqual([asides, text]);
});
