/** The judge complains about each way in which a store can break its word, and about nothing else. */

import { describe, expect, test } from "vitest";
import { judgeHistory, type AttemptedWrite, type FoundMessage } from "../oracle/judge-history.ts";

const acknowledged = (seq: number, ...contents: string[]): AttemptedWrite => ({
  key: "k",
  contents,
  answer: { kind: "acknowledged", seq },
});
const unanswered = (...contents: string[]): AttemptedWrite => ({
  key: "k",
  contents,
  answer: { kind: "unknown" },
});
const refused = (...contents: string[]): AttemptedWrite => ({
  key: "k",
  contents,
  answer: { kind: "refused" },
});

const WRITES = [
  acknowledged(1, "one"),
  acknowledged(3, "two", "three"),
  refused("no"),
  unanswered("maybe", "so"),
];

function judge(...contents: readonly string[]): string | undefined {
  return judgeSeqs(contents.map((content, index) => ({ seq: index + 1, content })));
}

function judgeSeqs(messages: readonly FoundMessage[]): string | undefined {
  return judgeHistory(WRITES, new Map([["k", messages]]));
}

describe("the judge", () => {
  test("accepts what was acknowledged, and an unanswered write whole or not at all", () => {
    expect(judge("one", "two", "three")).toBeUndefined();
    expect(judge("one", "two", "three", "maybe", "so")).toBeUndefined();
  });

  test.each([
    ["a lost write", ["one"], "was acknowledged with seq 3"],
    ["everything lost", [], "was acknowledged with seq 1"],
    ["half an unanswered batch", ["one", "two", "three", "maybe"], "only a part"],
    ["half an acknowledged batch", ["one", "two"], "only a part"],
    ["a refused write", ["one", "two", "three", "no"], "was refused and is there"],
    ["an invented message", ["one", "two", "three", "x"], "was never written here"],
    ["a doubled write", ["one", "two", "three", "one"], "is there twice"],
    ["another order", ["two", "three", "one"], "was acknowledged with seq"],
  ])("sees %s", (_, contents, complaint) => {
    expect(judge(...contents)).toContain(complaint);
  });

  test("sees a message in another session", () => {
    expect(judgeHistory(WRITES, new Map([["other", [{ seq: 1, content: "one" }]]]))).toContain(
      "never written here",
    );
  });

  test("sees a session that is gone", () => {
    expect(judgeHistory(WRITES, new Map())).toContain("there is nothing");
  });

  test("sees seqs that go back and batches with a gap", () => {
    const [one, two, three] = ["one", "two", "three"];
    expect(
      judgeSeqs([
        { seq: 4, content: one },
        { seq: 2, content: two },
        { seq: 3, content: three },
      ]),
    ).toContain("comes after");
    expect(
      judgeSeqs([
        { seq: 1, content: one },
        { seq: 2, content: two },
        { seq: 4, content: three },
      ]),
    ).toContain("not in one piece");
  });
});
