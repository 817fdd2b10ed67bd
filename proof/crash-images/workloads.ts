/** Short workloads, each for one thing, that together use every operation of the face. */

import type { Group, Step, Workload } from "./step.ts";

const append = (key: string, ...contents: readonly string[]): Step => ({ kind: "append", key, contents });
const withId = (id: string, key: string, ...contents: readonly string[]): Step => ({
  kind: "append",
  key,
  contents,
  id,
});
const on = (key: string, kind: "archive" | "restore" | "delete" | "delete forever"): Step => ({ kind, key });
const fork = (key: string, newKey: string, back = 0): Step => ({ kind: "fork", key, newKey, back });
const by = (instance: number, step: Step): Step => ({ ...step, by: instance });
const RECLAIM: Step = { kind: "reclaim" };
const PURGE: Step = { kind: "purge" };
const KILL: Step = { kind: "kill" };
const REOPEN: Step = { kind: "reopen" };

/** One after the other; an array is begun at once. */
function inTurn(...steps: readonly (Step | Group)[]): Group[] {
  return steps.map((step) => ("kind" in step ? [step] : step));
}

export const WORKLOADS: readonly Workload[] = [
  { name: "one append", keys: ["a"], groups: inTurn(withId("id-1", "a", "one")) },
  {
    name: "appends, batches and ids",
    keys: ["a:1"],
    groups: inTurn(
      append("a:1", "one"),
      withId("id-2", "a:1", "two"),
      withId("id-3", "a:1", "three", "four", "five"),
      append("a:1", "six"),
      { kind: "note", key: "a:1", data: "pinned", id: "id-7" },
      withId("id-8", "a:1", "seven"),
    ),
  },
  {
    name: "every kind of record",
    keys: ["k"],
    groups: inTurn(
      append("k", "one", "two", "three"),
      { kind: "summary", key: "k", text: "so far" },
      { kind: "title", key: "k", text: "Title" },
      { kind: "tags", key: "k", text: "tag" },
      { kind: "note", key: "k", data: "used" },
      { kind: "truncate", key: "k", keepLast: 2 },
      { kind: "compact", key: "k", back: 4 },
      { kind: "undo cut", key: "k" },
      { kind: "rewind back", key: "k", back: 5 },
      { kind: "replace", key: "k", contents: ["new one", "new two"] },
      { kind: "rewind", key: "k", messages: 1 },
    ),
  },
  {
    name: "two sessions at once",
    keys: ["a:1", "b"],
    groups: inTurn(
      [append("a:1", "a1"), append("b", "b1"), append("a:1", "a2")],
      [append("b", "b2", "b3"), append("a:1", "a3")],
      [append("b", "b4"), append("b", "b5", "b6"), append("b", "b7")],
    ),
  },
  {
    name: "a journal used again",
    keys: ["a:1", "b"],
    journalBytes: 250,
    groups: inTurn(
      append("a:1", "a1"),
      append("b", "b1"),
      append("a:1", "a2", "a3"),
      append("b", "b2"),
      append("a:1", "a4"),
      [append("b", "b3"), append("a:1", "a5")],
      withId("id-b4", "b", "b4"),
    ),
  },
  {
    name: "archived and restored",
    keys: ["a:1", "b"],
    journalBytes: 600,
    groups: inTurn(
      append("a:1", "a1"),
      [append("b", "b1"), on("a:1", "archive")],
      append("a:1", "a2", "a3"),
      on("a:1", "archive"),
      on("a:1", "restore"),
      on("b", "archive"),
      append("a:1", "a4"),
    ),
  },
  {
    name: "generations of one key",
    keys: ["a:1"],
    groups: inTurn(
      append("a:1", "first 1", "first 2"),
      on("a:1", "delete"),
      append("a:1", "second 1"),
      on("a:1", "delete"),
      append("a:1", "third 1"),
      on("a:1", "archive"),
      on("a:1", "delete"),
      on("a:1", "restore"),
      append("a:1", "third 2"),
    ),
  },
  {
    name: "deleted for good",
    keys: ["a:1", "b"],
    groups: inTurn(
      append("a:1", "old 1", "old 2"),
      append("b", "b1"),
      on("a:1", "delete forever"),
      append("a:1", "new 1"),
      on("b", "delete"),
      on("a:1", "delete"),
      PURGE,
      append("b", "b anew"),
    ),
  },
  {
    name: "sealed again and again",
    keys: ["a:1", "b"],
    journalBytes: 500,
    segmentBytes: 400,
    groups: inTurn(
      append("a:1", "a1"),
      append("a:1", "a2", "a3"),
      [append("a:1", "a4"), append("b", "b1")],
      append("a:1", "a5"),
      { kind: "rewind", key: "a:1", messages: 3 },
      [append("a:1", "a6"), on("b", "archive")],
      append("b", "b2"),
      append("a:1", "a7"),
    ),
  },
  {
    name: "forked from a sealed and an active file",
    keys: ["a:1", "whole", "part"],
    segmentBytes: 400,
    groups: inTurn(
      append("a:1", "a1", "a2", "a3"),
      append("a:1", "a4"),
      fork("a:1", "whole"),
      [append("a:1", "a5"), append("whole", "w5")],
      fork("a:1", "part", 3),
      append("part", "p3"),
      on("a:1", "delete forever"),
      append("whole", "w6"),
    ),
  },
  {
    name: "compressed",
    keys: ["a:1"],
    segmentBytes: 300,
    groups: inTurn(
      append("a:1", "a1", "a2", "a3"),
      append("a:1", "a4", "a5", "a6"),
      append("a:1", "a7", "a8", "a9"),
      RECLAIM,
      append("a:1", "a10"),
      REOPEN,
      RECLAIM,
    ),
  },
  {
    name: "dropped",
    keys: ["a:1", "b"],
    segmentBytes: 300,
    groups: inTurn(
      append("a:1", "a1", "a2", "a3"),
      append("a:1", "a4", "a5", "a6"),
      append("a:1", "a7", "a8", "a9"),
      append("b", "b1"),
      { kind: "reclaim", drop: 5 },
      append("a:1", "a10"),
      { kind: "reclaim", drop: 9 },
    ),
  },
  {
    name: "records longer than a sector",
    keys: ["a:1"],
    journalBytes: 2000,
    groups: inTurn(
      append("a:1", "x".repeat(1300)),
      append("a:1", "y".repeat(700), "z".repeat(700)),
      { kind: "replace", key: "a:1", contents: ["r".repeat(5000), "s"] },
      append("a:1", "end"),
    ),
  },
  {
    name: "two instances, two journals",
    keys: ["a:1", "b"],
    journalBytes: 500,
    segmentBytes: 500,
    groups: inTurn(
      append("a:1", "a1"),
      by(1, append("b", "b1")),
      [append("a:1", "a2"), by(1, append("b", "b2", "b3"))],
      by(1, append("a:1", "a3")),
      append("b", "b4"),
      [append("b", "b5"), by(1, withId("id-a4", "a:1", "a4"))],
      by(1, on("b", "archive")),
    ),
  },
  {
    name: "taken over",
    keys: ["a:1", "b"],
    segmentBytes: 450,
    groups: inTurn(
      append("a:1", "a1", "a2"),
      [append("b", "b1"), withId("id-a3", "a:1", "a3")],
      KILL,
      append("a:1", "a4"),
      by(1, append("b", "b2")),
      by(1, KILL),
      append("b", "b3"),
      on("a:1", "delete"),
      KILL,
      append("a:1", "anew"),
    ),
  },
  {
    name: "locked for a turn",
    keys: ["a:1", "b"],
    groups: inTurn(
      { kind: "lock", key: "a:1", contents: ["a1", "a2"] },
      by(1, append("a:1", "a3")),
      [{ kind: "lock", key: "b", contents: ["b1"] }, by(1, { kind: "lock", key: "a:1", contents: ["a4"] })],
      append("b", "b2"),
    ),
  },
  {
    name: "moved in from another program",
    keys: ["chat:1", "alice", "run", "pico"],
    aliases: { "agent:pico": "pico" },
    files: {
      "chat_1.json": JSON.stringify({
        key: "chat:1",
        messages: [{ role: "user", content: "old" }],
        created: "2026-05-01T08:01:00.5Z",
        updated: "2026-05-01T08:01:00.5Z",
      }),
      "alice.jsonl": '{"role":"user","content":"hello"}\n{"role":"assistant","content":"hi"}\n',
      "pico.jsonl": '{"role":"user","content":"by two names","created_at":"2026-05-01T08:05:00.5Z"}\n',
      "pico.meta.json": JSON.stringify({
        ...{ key: "pico", skip: 0, count: 1, aliases: ["agent:pico"] },
        ...{ created_at: "2026-05-01T08:05:00.5Z", updated_at: "2026-05-01T08:05:00.5Z" },
      }),
      "run.jsonl.archived": '{"role":"user","content":"put away","timestamp":"2026-05-01T08:04:00.5Z"}\n',
    },
    groups: inTurn(
      append("alice", "again"),
      append("pico", "more"),
      on("chat:1", "archive"),
      append("run", "back"),
    ),
  },
  {
    name: "notes and cuts over sealed files",
    keys: ["k"],
    segmentBytes: 400,
    groups: inTurn(
      { kind: "note", key: "k", data: "first" },
      append("k", "one", "two", "three"),
      { kind: "truncate", key: "k", keepLast: 2 },
      append("k", "four", "five", "six"),
      { kind: "undo cut", key: "k" },
      append("k", "seven", "eight", "nine"),
      { kind: "rewind back", key: "k", back: 6 },
      append("k", "ten"),
      { kind: "repair" },
      REOPEN,
      append("k", "eleven"),
    ),
  },
];
