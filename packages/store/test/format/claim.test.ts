/** The one ranking of who may have a place: what stands there, and what wants to go there. */

import { describe, expect, test } from "vitest";
import { outranks, type Claim } from "../../src/format/claim.ts";

const STANDS: readonly (readonly [string, Claim])[] = [
  ["nothing, behind the end of the file", "vacant"],
  ["NULs", "vacant"],
  ["damaged bytes", "vacant"],
  // Salted with an id that is not this session's, it is not to be told from damage.
  ["a line of another session", "vacant"],
  ["the same record", "vacant"],
  ["a line that the journal itself writes again elsewhere", "vacant"],
  ["a moved record that goes back to its place", "vacant"],
  ["a record with this seq and another sum", "standing"],
  ["a checkpoint", "standing"],
  ["a line that says what is lost", "standing"],
  ["a record with this seq that the record behind it names", "named"],
];

const WANTS: readonly (readonly [string, Claim])[] = [
  ["a record of the files or of a journal, which the record that counts behind it names", "named"],
  ["a record elsewhere in the files, at the end, whose neighbour a journal knows", "resumed"],
  ["a journal's record behind the line that it names", "continuing"],
  ["a record of an older journal, which names none", "positioned"],
  ["a record elsewhere in the files, which nothing names", "moved"],
  ["a journal's record behind another line than it names", "stray"],
];

/** In the order of WANTS: does it get the place? */
const TABLE: Readonly<Partial<Record<Claim, readonly boolean[]>>> = {
  vacant: [true, true, true, true, true, false],
  standing: [true, true, false, false, false, false],
  named: [false, false, false, false, false, false],
};

describe.each(STANDS)("where there is %s", (_, standing) => {
  test.each(WANTS.map(([what, wanted], index) => ({ what, wanted, index })))(
    "what wants to go there: $what",
    ({ wanted, index }) => {
      expect(outranks(wanted, standing)).toBe(TABLE[standing]?.[index]);
    },
  );
});

test("what continues the last record outranks a line that nothing names, and nothing outranks its like", () => {
  expect(outranks("continuing", "moved")).toBe(true);
  expect(outranks("moved", "continuing")).toBe(false);
  for (const [, claim] of [...STANDS, ...WANTS]) expect(outranks(claim, claim)).toBe(false);
});
