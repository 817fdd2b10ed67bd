/** The process is as good as dead from a write on, for every write; then a recovery, which may be killed as well. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Session } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/errors.ts";
import type { AgentEvent } from "../../src/events.ts";
import { Mailbox } from "../../src/kernel/mailbox.ts";
import { recoverTurn } from "../../src/turn/recover-turn.ts";
import { runTurn } from "../../src/turn/run-turn.ts";
import type { Said } from "../../src/turn/types.ts";
import { judgeRecovery } from "./support/judge-recovery.ts";
import { EARLIER, KEY, SAID, scenario, watchWrites } from "./support/kill-scenario.mjs";
import { withChanges } from "./support/with-changes.ts";
import { withStore, type BackendName } from "./support/with-store.ts";

type Kill = { readonly when: "before" | "after"; readonly number: number };
const NEVER: Kill = { when: "after", number: 0 };

class Dead extends Error {}

/** From the fatal write on nothing is written any more. `isDead` tells whether it has come to that. */
function mortal(
  session: Session,
  { when, number: fatal }: Kill,
): { session: Session; isDead: () => boolean } {
  let isDead = false;
  const die = (): void => {
    isDead = true;
    throw new Dead("killed");
  };
  const watched = watchWrites(session, {
    before: (number) => {
      if (isDead || (when === "before" && number === fatal)) die();
    },
    after: (number) => {
      if (when === "after" && number === fatal) die();
    },
  });
  return { session: watched, isDead: () => isDead };
}

/** The session, and whether it has kept the part of the last answer that is shown before the model pauses. */
function noticingPart(session: Session): { session: Session; isPartKept: () => boolean } {
  let isPartKept = false;
  const noticing = withChanges(session, {
    note: async (kind, data, options) => {
      const written = await session.note(kind, data, options);
      isPartKept ||= kind === "longhand/part" && JSON.stringify(data) === JSON.stringify({ text: "It is " });
      return written;
    },
  });
  return { session: noticing, isPartKept: () => isPartKept };
}

/** However long that takes: the moment of a part is the same on a busy machine. */
async function until(isOver: () => boolean): Promise<void> {
  while (!isOver()) await sleep(20);
}

type Recovery = (session: Session) => Promise<void>;

const recovery: Recovery = async (session) => {
  await recoverTurn(session, { agent: "test", events: () => undefined });
};

/** Runs the turn to its death, recovers, and judges. `didDie`: false if there were not so many writes. */
async function attempt(
  name: BackendName,
  kill: Kill,
  recover: Recovery = recovery,
): Promise<{ problem: string | undefined; didDie: boolean }> {
  return await withStore(name, async (store) => {
    const session = store.session(KEY);
    await session.append(EARLIER);
    const { session: noticing, isPartKept } = noticingPart(session);
    const { session: watched, isDead } = mortal(noticing, kill);
    let effects = 0;
    const events: AgentEvent[] = [];
    let wasKilled = false;
    const steering = new Mailbox<Said>(10);
    const settings = scenario({
      effect: () => {
        effects += 1;
      },
      wait: async () => await until(() => isDead() || isPartKept()),
      overflow: () => new AgentError("MODEL_OVERFLOW", "the request is too long"),
      steering,
      settings: {
        events: (event) => {
          // Told by the error that a dead store is: nobody hears the dead.
          wasKilled ||= event.type === "error" && event.code === "TURN_FAILED";
          if (!wasKilled) events.push(event);
        },
      },
    });
    const running = { id: "turn-1", signal: new AbortController().signal, steering };
    await runTurn(watched, SAID, running, settings).catch((error: unknown) => {
      if (!(error instanceof Dead)) throw error;
    });
    await recover(session);
    return {
      problem: await judgeRecovery(session, { events, effects }),
      didDie: kill.number > 0 && isDead(),
    };
  });
}

interface TurnWrites {
  readonly all: number;
  /** Without the parts of answers: how many of those are kept depends on how fast the machine is. */
  readonly certain: number;
}

async function writesOf(name: BackendName): Promise<TurnWrites> {
  return await withStore(name, async (store) => {
    const session = store.session(KEY);
    await session.append(EARLIER);
    let all = 0;
    let parts = 0;
    const count = (number: number): void => {
      all = number;
    };
    const countingParts = withChanges(session, {
      note: async (kind, data, options) => {
        if (kind === "longhand/part") parts += 1;
        return await session.note(kind, data, options);
      },
    });
    const { session: noticing, isPartKept } = noticingPart(countingParts);
    const watched = watchWrites(noticing, { before: count, after: () => undefined });
    const steering = new Mailbox<Said>(10);
    const overflow = (): Error => new AgentError("MODEL_OVERFLOW", "the request is too long");
    const settings = scenario({
      effect: () => undefined,
      wait: async () => await until(isPartKept),
      overflow,
      steering,
      settings: { events: () => undefined },
    });
    const running = { id: "turn-1", signal: new AbortController().signal, steering };
    const result = await runTurn(watched, SAID, running, settings);
    expect(result.outcome).toBe("answered");
    expect(result.text).toBe("It is one. Hello!");
    // The last answer pauses until its two parts are kept.
    expect(parts).toBeGreaterThanOrEqual(2);
    return { all, certain: all - parts };
  });
}

function killsOf(all: number): Kill[] {
  return Array.from({ length: all }, (_, index) => index + 1).flatMap((number) => [
    { when: "before", number } as const,
    { when: "after", number } as const,
  ]);
}

async function problems(
  name: BackendName,
  { all, certain }: TurnWrites,
  recover?: Recovery,
): Promise<(string | undefined)[]> {
  const kills = killsOf(all);
  const attempts = await Promise.all(kills.map(async (kill) => await attempt(name, kill, recover)));
  // Every write that each run of the turn makes has killed its process.
  const survived = kills.filter(({ number }, index) => number <= certain && attempts[index]?.didDie !== true);
  expect(survived).toEqual([]);
  return attempts.map(({ problem }, index) =>
    problem === undefined ? undefined : `${JSON.stringify(kills[index])}: ${problem}`,
  );
}

// At the same time: each of them waits for the seconds of its answers.
describe.concurrent.each<BackendName>(["memory", "json", "jsonl"])("over %s", (name) => {
  test("a turn killed before or after any of its writes is closed as it should be", async () => {
    const writes = await writesOf(name);
    expect(writes.certain).toBeGreaterThanOrEqual(15);
    expect((await problems(name, writes)).filter((problem) => problem !== undefined)).toEqual([]);
  });
});

describe.concurrent.each<BackendName>(["memory", "jsonl"])("over %s", (name) => {
  test("also if the recovery is killed before or after each of its writes", async () => {
    const writes = await writesOf(name);
    for (const second of killsOf(2)) {
      const found = await problems(name, writes, async (session) => {
        await recovery(mortal(session, second).session).catch((error: unknown) => {
          if (!(error instanceof Dead)) throw error;
        });
        await recovery(session);
        await recovery(session);
      });
      expect(found.filter((problem) => problem !== undefined)).toEqual([]);
    }
  });
});

describe.concurrent("the judge", () => {
  test("has nothing against a turn that nobody killed", async () => {
    expect((await attempt("memory", NEVER)).problem).toBeUndefined();
  });

  test("finds a recovery that does nothing", async () => {
    const writes = await writesOf("memory");
    const found = await problems("memory", writes, () => Promise.resolve());
    const certain = found.slice(0, writes.certain * 2);
    // Nothing is wrong only where nothing was written yet, or everything was.
    expect(certain.filter((problem) => problem !== undefined).length).toBeGreaterThan(certain.length - 10);
  });

  test("finds a recovery that does not know which calls had begun", async () => {
    const writes = await writesOf("memory");
    const found = await problems("memory", writes, async (session) => {
      const forgetful = withChanges(session, {
        records: async function* (options) {
          for await (const record of session.records(options))
            if (record.op !== "note" || record.kind !== "longhand/calls") yield record;
        },
      });
      await recovery(forgetful);
    });
    expect(found.filter((problem) => problem?.includes("it has happened, but"))).not.toEqual([]);
  });
});
