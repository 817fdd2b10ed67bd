import { expect, test } from "vitest";
import { type ExaminedOwner, ownerLines } from "../../src/sessions/owners.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";

const held = (...keys: readonly string[]): ExaminedOwner["holds"] =>
  keys.map((key) => ({ name: key, key, since: "noon" }));

const owner: ExaminedOwner = {
  instance: "01A",
  pid: 7,
  host: "box",
  since: "noon",
  liveness: "alive",
  isStopped: false,
  journalBytes: 1200,
  holds: held("a", "b"),
};

const lines = (given: Partial<ExaminedOwner>): string =>
  ownerLines({ ...owner, ...given }, commandToPaste({ sessions: "/s" })).join("\n");

test("a process that runs, and what it holds", () => {
  expect(lines({})).toBe("process 7 on box since noon: running\n  may write to a, b");
  expect(lines({ holds: [] })).toBe("process 7 on box since noon: running");
  expect(lines({ holds: held("1", "2", "3", "4", "5", "6", "7") })).toContain("1, 2, 3, 4, 5 and 2 more");
});

test("one that is stopped can be let go on", () => {
  expect(lines({ isStopped: true })).toMatch(/: stopped\n[^]*kill -CONT 7$/);
});

test("of one that is dead nothing is lost, and there is nothing to do", () => {
  expect(lines({ liveness: "dead" })).toMatch(/leaving 1\.2 KB in its journal\n {2}nothing to do/);
});

test("one that cannot be judged can be given up by a person", () => {
  expect(lines({ liveness: "unproven", holds: held("a b") })).toContain(
    "longhand doctor --break-lease 'a b' --sessions /s",
  );
  expect(lines({ liveness: "unproven", holds: [] })).not.toContain("--break-lease");
});

test("names and keys cannot move the cursor", () => {
  expect(lines({ host: "\u001b[2J", holds: held("\u001b[3J") })).not.toContain("\u001b");
});

test("one that does not say who it is", () => {
  const unknown: ExaminedOwner = {
    instance: "01A",
    liveness: "unproven",
    isStopped: false,
    journalBytes: 0,
    holds: [],
  };
  expect(ownerLines(unknown, commandToPaste({}))[0]).toContain("does not say who it is");
});
