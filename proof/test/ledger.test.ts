/** The ledger of what writers told complains about each way in which a store can break its word. */

import { describe, expect, test } from "vitest";
import { Ledger, type FoundSession } from "../writers/ledger.ts";
import { textOf, type Operation, type Told, type Write } from "../writers/operation.ts";

const message = (name: string, key = "a"): Write => ({
  kind: "messages",
  key,
  contents: [{ name, length: 30 }],
  id: name,
});
const FORK: Operation = { kind: "fork", key: "a", newKey: "b", at: 2 };
const ARCHIVE: Operation = { kind: "archive", key: "a" };
const RESTORE: Operation = { kind: "restore", key: "a" };

/** One after another; a number is the seq of the answer, "done" one without a seq, another word the code of a failure. */
function life(...lines: readonly (readonly [Operation, (number | string)?])[]): Told[] {
  return lines.flatMap(([operation, answer], index): Told[] => {
    const number = index + 1;
    const trying: Told = { kind: "trying", number, operation };
    if (answer === undefined) return [trying];
    if (answer === "done") return [trying, { kind: "done", number, seq: undefined }];
    if (typeof answer === "number") return [trying, { kind: "done", number, seq: answer }];
    return [trying, { kind: "failed", number, code: answer, why: "" }];
  });
}

function session(names: readonly string[], status: FoundSession["status"] = "active"): FoundSession {
  return {
    status,
    entries: names.map((name, index) => ({ seq: index + 1, content: textOf({ name, length: 30 }) })),
  };
}

const STORY = life([message("one"), 1], [message("two"), 2], [FORK, "done"], [message("three"), 3]);

function judge(told: readonly Told[], found: Readonly<Record<string, FoundSession>>): string | undefined {
  const ledger = new Ledger();
  ledger.hear(told, true);
  return ledger.judge(new Map(Object.entries(found)));
}

describe("the ledger", () => {
  test("accepts what was acknowledged, and a fork with what it began with", () => {
    const found = { a: session(["one", "two", "three"]), b: session(["one", "two"]) };
    expect(judge(STORY, found)).toBeUndefined();
    expect(
      judge([...STORY, ...life([message("own", "b"), 3])], { ...found, b: session(["one", "two", "own"]) }),
    ).toBe(undefined);
  });

  test.each([
    [
      "a lost message",
      { a: session(["one", "two"]), b: session(["one", "two"]) },
      "was acknowledged with seq 3",
    ],
    ["a lost fork", { a: session(["one", "two", "three"]) }, "its fork was acknowledged"],
    [
      "a fork that lacks something",
      { a: session(["one", "two", "three"]), b: session(["one"]) },
      "another record",
    ],
    [
      "a fork that has too much",
      { a: session(["one", "two", "three"]), b: session(["one", "two", "three"]) },
      "never",
    ],
    [
      "a session nobody made",
      { a: session(["one", "two", "three"]), b: session(["one", "two"]), c: session(["x"]) },
      "c:",
    ],
  ])("finds %s", (_, found, complaint) => {
    expect(judge(STORY, found)).toContain(complaint);
  });

  test("finds a gap", () => {
    const found: FoundSession = {
      status: "active",
      entries: [{ seq: 2, content: textOf({ name: "one", length: 30 }) }],
    };
    expect(judge(life([message("one")]), { a: found })).toBe("a: seq 2 where seq 1 must be");
  });

  test("knows whether a session is archived, as long as the last word on it was answered", () => {
    const one = [message("one"), 1] as const;
    const archived = { a: session(["one"], "archived") };
    expect(judge(life(one, [ARCHIVE, "done"]), archived)).toBeUndefined();
    expect(judge(life(one, [ARCHIVE, "done"]), { a: session(["one"]) })).toContain("must be archived");
    expect(judge(life(one, [ARCHIVE, "done"], [RESTORE, "done"]), archived)).toContain("must be active");
    expect(judge(life(one, [ARCHIVE, "done"], [RESTORE]), archived)).toBeUndefined();
    expect(judge(life(one), archived)).toContain("must be active");
  });

  test("what the first one saw, the next one sees: what was open is settled", () => {
    const open = life([message("one"), 1], [message("two")], [message("three")], [FORK]);
    const ledger = new Ledger();
    expect(ledger.hear(open, true).map(({ id }) => id)).toEqual(["two", "three"]);
    const first = new Map([["a", session(["one", "two"])]]);
    expect(ledger.judge(first)).toBeUndefined();
    ledger.settle(first);
    expect(ledger.judge(first)).toBeUndefined();
    expect(ledger.judge(new Map([["a", session(["one"])]]))).toContain("was acknowledged with seq 2");
    expect(ledger.judge(new Map([["a", session(["one", "two", "three"])]]))).toContain(
      "was refused and is there",
    );
    expect(ledger.judge(new Map([...first, ["b", session(["one", "two"])]]))).toContain(
      "was never written here",
    );
    // Unless it is written again.
    ledger.hear(life([message("three"), 3]), true);
    expect(ledger.judge(new Map([["a", session(["one", "two", "three"])]]))).toBeUndefined();
  });

  test("what was refused must not be there; of what an earlier writer tried as well nothing is known", () => {
    const full = [message("one"), "DISK_FULL"] as const;
    expect(judge(life(full), { a: session(["one"]) })).toContain("was refused and is there");
    expect(judge([...life([message("one")]), ...life(full)], { a: session(["one"]) })).toBeUndefined();
  });

  test("a fork that was refused must not be there, unless it was left open", () => {
    const two = [
      [message("one"), 1],
      [message("two"), 2],
    ] as const;
    const found = { a: session(["one", "two"]), b: session(["one", "two"]) };
    expect(judge(life(...two, [FORK, "DISK_FULL"]), found)).toContain("b:");
    expect(judge(life(...two, [FORK, "DISK_FULL"]), { ...found, b: session([]) })).toContain("nobody began");
    expect(judge(life(...two, [FORK, "STORE_FAILED"]), found)).toBeUndefined();
    expect(judge(life(...two, [FORK]), found)).toBeUndefined();
  });

  test("an empty session was begun by a write that was cut short, or did not fit", () => {
    const found = { a: session(["one"]), b: session([]) };
    expect(judge(life([message("one"), 1]), found)).toContain("b: an empty session that nobody began");
    expect(judge(life([message("one"), 1], [message("two", "b")]), found)).toBeUndefined();
    expect(judge(life([message("one"), 1], [message("two", "b"), "DISK_FULL"]), found)).toBeUndefined();
    expect(judge(life([message("one"), 1], [message("two", "b"), "SESSION_NOT_FOUND"]), found)).toContain(
      "nobody began",
    );
  });
});
