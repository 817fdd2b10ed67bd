/** Which record a session has for each seq, where journals speak of it. */

import { expect, test } from "vitest";
import {
  settleRecords,
  type JournaledRecord,
  type StandingRecord,
} from "../../src/session/settle-records.ts";

const BYTES = 100;

interface Situation {
  /** Records that count, in the order of the file, from seq 1 on; `-`: none with this seq counts. */
  readonly counts: string;
  /** Others in the file, as name and seq. */
  readonly moved?: string;
  /** What journals know, as name and seq: each was written after the record before it of the same name, up to `shared`. */
  readonly journal: string;
  /** The last record that both histories have. */
  readonly shared: number;
  /** Something else was written in front of the records of the journal. */
  readonly shift?: number;
}

const word = (name: string, seq: number, shared: number): string =>
  seq <= shared ? `s${seq}` : `${name}${seq}`;

/** The records that the session gets, in their order. */
function settle({ counts, moved = "", journal, shared, shift = 0 }: Situation): string {
  const standing = new Map<number, StandingRecord>();
  for (const [index, name] of Array.from(counts).entries()) {
    if (name === "-") continue;
    const seq = index + 1;
    const offset = seq * BYTES;
    standing.set(seq, { sum: word(name, seq, shared), offset, bytes: BYTES, file: 0 });
  }
  const refused = new Map<number, string[]>();
  for (const each of moved.split(" ").filter((text) => text !== "")) {
    const seq = Number(each.slice(1));
    refused.set(seq, [...(refused.get(seq) ?? []), word(each.charAt(0), seq, shared)]);
  }
  const journaled = journal
    .split(" ")
    .filter((text) => text !== "")
    .map((each): JournaledRecord => {
      const [name, seq] = [each.charAt(0), Number(each.slice(1))];
      const sum = word(name, seq, shared);
      const offset = seq * BYTES + shift;
      return { seq, sum, follows: [word(name, seq - 1, shared)], names: [sum], file: 0, offset };
    });
  const lastSeq = counts.length;
  const settled = settleRecords({ lastSeq, standing, refused, otherSums: new Map() }, journaled);
  return [...settled]
    .sort(([one], [other]) => one - other)
    .map(([seq, sum]) => sum ?? `-${seq}`)
    .join(" ");
}

const SITUATIONS: readonly (readonly [string, Situation, string])[] = [
  [
    "the journal's records go behind the one they name",
    { counts: "aa", journal: "a3 a4", shared: 2 },
    "s2 a3 a4",
  ],
  [
    "the file has gone on without them: they stay kept",
    { counts: "aab", journal: "a3 a4", shared: 2 },
    "s2 b3 -4",
  ],
  [
    "a line of another history stands before the record that the journal knows, at the end: that one has the place",
    { counts: "aab", moved: "a3", journal: "a3 a4", shared: 2 },
    "s2 a3 a4",
  ],
  [
    "the same, and only the record behind it is known",
    { counts: "aab", moved: "a3", journal: "a4", shared: 2 },
    "a3 a4",
  ],
  [
    "the other history has gone on behind it: nothing proves the one or the other, and what counts stays",
    { counts: "aabb", moved: "a3", journal: "a3", shared: 2 },
    "s2 b3",
  ],
  [
    "a record that the next one names has its place, also if it must come from what is kept",
    { counts: "aabaa", journal: "a3 a4", shared: 2 },
    "s2 a3 a4",
  ],
  ["one that is missing and named goes in", { counts: "aa-a", journal: "a3 a4", shared: 2 }, "s2 a3 a4"],
  [
    "one that is missing and only names stays kept: the session may have gone on without it",
    { counts: "aa-b", journal: "a3", shared: 2 },
    "s2 -3",
  ],
  [
    "at the end, a record that names the last one outranks a moved line that nothing names",
    { counts: "aa", moved: "b3", journal: "a3", shared: 2 },
    "s2 a3",
  ],
  [
    "a moved line goes where nothing else does",
    { counts: "aa", moved: "b3", journal: "a5", shared: 2 },
    "-4 -5",
  ],
  [
    "what stands where the named record is gone is of another history: none gets the place",
    { counts: "aaba", journal: "a4", shared: 2 },
    "-3 a4",
  ],
  ["nor does a line from elsewhere", { counts: "aa-a", moved: "b3", journal: "a4", shared: 2 }, "-3 a4"],
  [
    "where the record behind it does not stand where it was written, that proves nothing",
    { counts: "aaba", journal: "a4", shared: 2, shift: 7 },
    "b3 a4",
  ],
];

test.each(SITUATIONS)("%s", (_, situation, expected) => {
  expect(settle(situation)).toBe(expected);
});

test("the order of the journals does not matter", () => {
  for (const [what, situation, expected] of SITUATIONS) {
    const journal = situation.journal.split(" ").toReversed().join(" ");
    expect(settle({ ...situation, journal }), what).toBe(expected);
  }
});
