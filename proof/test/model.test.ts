import { describe, expect, test } from "vitest";
import { searchWorld } from "../model/checker.ts";
import { fingerprint, takeFingerprint } from "../model/fingerprint.ts";
import { model, searchWithout } from "../model/part.ts";
import { RULES, without } from "../model/rules.ts";
import { OPTIONAL, SHOWN_BY } from "../model/shown-by.ts";
import { initialState, type State } from "../model/state.ts";
import { successors } from "../model/successors.ts";
import { worldOf, type World } from "../model/worlds.ts";

/** One instance that may create a session and append nothing. */
function tinyWorld(): World {
  const { bounds } = worldOf("append");
  return {
    bounds: { ...bounds, instances: 1, sessions: 1, records: 0, kills: 0, powerLosses: 0 },
    rules: RULES,
  };
}

describe("the search", () => {
  test("counts the states of a world that can be counted by hand", () => {
    // Nobody; opening; at work; with the lease; with a new session; its name synced; its file synced.
    expect(searchWorld(tinyWorld())).toEqual({
      states: 7,
      steps: 6,
      depth: 6,
      isComplete: true,
      broken: undefined,
    });
  });

  test("counts each state that a kill leaves once", () => {
    const { bounds } = tinyWorld();
    const { states } = searchWorld({ bounds: { ...bounds, kills: 1 }, rules: RULES });
    // The dead leave: a journal (opening or at work); a lease too; a name; a durable name (its file synced or not, it is empty).
    expect(states).toBe(7 + 4);
  });

  test("finds a shortest way to a planted violation, and tells it in words", () => {
    const { broken } = searchWorld(worldOf("append", without("syncBeforeAnswer")));
    expect(broken?.promise).toBe("record 1 of session 0 was acknowledged and is lost: []");
    expect(broken?.trace.slice(-3)).toEqual([
      "A writes a record for key 0 to its journal",
      "A answers for [1] before the sync",
      "power loss",
    ]);
  });

  test("finds who is stuck", () => {
    const { broken } = searchWorld(worldOf("failedSync", without("failedDeclaresItself")));
    expect(broken?.promise).toMatch(/^stuck/u);
  });
});

test("two states have the same fingerprint exactly if they are the same in every field", () => {
  const world = worldOf("purge");
  const byFingerprint = new Map<string, string>();
  const texts = new Set<string>();
  let level: State[] = [initialState(world)];
  while (level.length > 0) {
    const next: State[] = [];
    for (const state of level) {
      successors(state, world, (_, reached) => {
        takeFingerprint(reached);
        const key = `${fingerprint.low}/${fingerprint.high}`;
        const text = JSON.stringify(reached);
        expect(byFingerprint.get(key) ?? text).toBe(text);
        if (texts.has(text)) return;
        texts.add(text);
        byFingerprint.set(key, text);
        next.push(reached);
      });
    }
    level = next;
  }
  expect(byFingerprint.size).toBe(texts.size);
});

test("every rule is shown by a world, or listed with the reason why it is kept", () => {
  const listed = [...Object.keys(SHOWN_BY), ...Object.keys(OPTIONAL)].sort();
  expect(listed).toEqual(Object.keys(RULES).sort());
});

test("without the lock two adopters ruin both copies of a journal's head", () => {
  expect(searchWithout("adoptionLock")).toEqual({ world: "twice", broken: true });
});

test("the gate must show every rule that a world shows", () => {
  const counts = Object.values(model.counts);
  expect(counts).toContain(Object.keys(SHOWN_BY).length);
});
