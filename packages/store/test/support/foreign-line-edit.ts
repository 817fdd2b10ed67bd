/** A whole line of another history, of another session or of the session itself is put into a session's file, or many are. */

import type { SeededRandom } from "../../src/testing/index.ts";
import { linesOf, type TwoHistories } from "./two-histories.ts";

export interface ForeignLineEdit {
  readonly what: string;
  readonly lines: readonly Buffer[];
}

/** `given`: the lines of the file, the header first; it stays where it is. Every second line is of the other history. */
export function foreignLineEdit(
  given: readonly Buffer[],
  { own, other, strange }: TwoHistories,
  random: SeededRandom,
): ForeignLineEdit {
  const from = FROM[random.below(FROM.length)] ?? "other";
  const pool = { own: own.slice(1), other, strange }[from];
  const index = random.below(pool.length);
  const line = pool[index] ?? Buffer.alloc(0);
  const at = 1 + random.below(given.length);
  const told = `${from} ${index}`;
  switch (random.below(7)) {
    case 0:
      return { what: `${told} laid over line ${at}`, lines: laidOver(given, at, line) };
    case 1:
      return { what: `${told} instead of line ${at}`, lines: given.toSpliced(at, 1, line) };
    case 2:
      return {
        what: `${told} glued in front of line ${at}`,
        lines: given.toSpliced(at, 0, line.subarray(0, -1)),
      };
    case 3:
      return {
        what: `${told} and those behind it instead of line ${at} and those behind it`,
        lines: [...given.slice(0, at), ...pool.slice(index)],
      };
    case 4:
      return { what: `${told} at the end`, lines: [...given, line] };
    default:
      return { what: `${told} in front of line ${at}`, lines: given.toSpliced(at, 0, line) };
  }
}

const FROM = ["other", "other", "other", "strange", "own"] as const;

function laidOver(given: readonly Buffer[], at: number, line: Buffer): readonly Buffer[] {
  const start = Buffer.concat(given.slice(0, at)).length;
  const all = Buffer.concat(given);
  const laid = Buffer.alloc(Math.max(all.length, start + line.length));
  all.copy(laid);
  line.copy(laid, start);
  return linesOf(laid);
}
