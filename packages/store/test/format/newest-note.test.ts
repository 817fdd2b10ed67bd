import { expect, test } from "vitest";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { EMPTY_STATE, foldEntry, newestNote, type SessionState } from "../../src/format/fold.ts";
import { REMEMBERED_KINDS } from "../../src/format/format.ts";

const ID = "01J0000000000000000000000A";

function noted(kinds: readonly string[]): SessionState {
  return kinds.reduce<SessionState>(
    (state, kind) =>
      foldEntry(state, {
        seq: state.seq + 1,
        at: "2026-11-15T00:00:00.000Z",
        body: { op: "note", kind, json: "1" },
      }),
    EMPTY_STATE,
  );
}

test("the state knows the newest note of a kind, and that there is none", () => {
  const state = noted(["a", "b", "a"]);
  expect(newestNote(state, "a")).toEqual({ seq: 3 });
  expect(newestNote(state, "b")).toEqual({ seq: 2 });
  expect(newestNote(state, "c")).toEqual({ seq: 0 });
});

test("of more kinds than it remembers it does not claim that there is none", () => {
  const kinds = Array.from({ length: REMEMBERED_KINDS + 1 }, (_, number) => `kind ${number}`);
  const state = noted(kinds);
  expect(state.notes).toHaveLength(REMEMBERED_KINDS);
  expect(newestNote(state, "kind 0")).toBeUndefined();
  expect(newestNote(state, "kind 1")).toEqual({ seq: 2 });
  expect(newestNote(noted(["x".repeat(300)]), "x".repeat(300))).toBeUndefined();
});

test("a checkpoint keeps it, and one without notes is as it always was", () => {
  const state = noted(["a", "__proto__", "\ud800"]);
  const roundTrip = (each: SessionState): SessionState | undefined => {
    const line = encodeCheckpoint({ state: each, sum: "00000000" }, ID).toString("utf8");
    return decodeCheckpoint(line.slice(0, line.indexOf(',"crc"')))?.state;
  };
  expect(roundTrip(state)).toEqual(state);
  expect(roundTrip(EMPTY_STATE)).toEqual(EMPTY_STATE);
  expect(encodeCheckpoint({ state: EMPTY_STATE, sum: "00000000" }, ID).toString("utf8")).not.toContain(
    "notes",
  );
});
