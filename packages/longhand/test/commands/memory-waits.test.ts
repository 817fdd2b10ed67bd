/** What waits to be taken into the memory: `longhand doctor` says so with the reason, `longhand memory consolidate` does it. */

import { describe, expect, test } from "vitest";
import type { Memory } from "@longhand/store/memory";
import type { Store } from "@longhand/store";
import { withRemembered } from "../support/with-remembered.ts";

const SCOPE = { agent: "main", channel: "local", user: "owner" };

function waiting(failure?: string) {
  return async (memory: Memory, store: Store): Promise<void> => {
    const session = store.session("notes");
    await memory.markDue({ key: "notes", scope: SCOPE });
    await session.append([
      { role: "user", content: "I live in Porto" },
      { role: "assistant", content: "ok" },
    ]);
    if (failure === undefined) return;
    await memory.consolidate(session, { scope: SCOPE, model: () => Promise.reject(new Error(failure)) });
  };
}

test("a failed conversation is a problem with its key, reason and remedy", async () => {
  await withRemembered(waiting("ECONNREFUSED 127.0.0.1:11434"), async (longhand) => {
    const { stdout, exitCode } = await longhand("doctor");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("1 conversation waiting to be taken in");
    expect(stdout).toMatch(/what was said in notes since \S+ is not in the memory yet: 1 try failed/u);
    expect(stdout).toContain("ECONNREFUSED 127.0.0.1:11434");
    expect(stdout).toContain("longhand memory consolidate");
    const { problems, memory } = JSON.parse((await longhand("doctor --json")).stdout) as {
      problems: object[];
      memory: object;
    };
    expect(problems).toHaveLength(1);
    expect(memory).toMatchObject({ waiting: 1 });
  });
});

test("one that has just been said is none; one that waits for more than a day is", async () => {
  await withRemembered(waiting(), async (longhand) => {
    const { examineConsolidation } = await import("../../src/sessions/examine-consolidation.ts");
    const { stdout } = await longhand("doctor --json");
    const { places, problems } = JSON.parse(stdout) as {
      places: { memory: { path: string } };
      problems: object[];
    };
    expect(problems).toEqual([]);
    const path = places.memory.path;
    const paste = (words: string): string => `longhand ${words}`;
    const later = await examineConsolidation(path, Date.now() + 25 * 3_600_000, paste);
    expect(later.problems).toHaveLength(1);
    expect((await examineConsolidation(path, Date.now(), paste)).problems).toEqual([]);
  });
});

test("without a model nothing is taken in, it says why, and the exit code is 1", async () => {
  await withRemembered(waiting(), async (longhand) => {
    const { stdout, exitCode } = await longhand("memory consolidate --model offline");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("1 conversation still waiting: the offline assistant cannot do it");
    const json = await longhand("memory consolidate --model offline --json");
    expect(JSON.parse(json.stdout)).toMatchObject({ agents: [{ consolidated: 0, waiting: 1 }] });
  });
});

describe("a conversation whose last turn was left without an answer, by a kill for example", () => {
  const killed = async (memory: Memory, store: Store): Promise<void> => {
    await waiting()(memory, store);
    const session = store.session("notes");
    await session.append({ role: "user", content: "and where do you" });
    const model = (): Promise<string> => Promise.resolve('{"history_entry":"They talked."}');
    await memory.consolidate(session, { scope: SCOPE, model });
  };

  test("is no failure of memory consolidate, which says what is to be done", async () => {
    await withRemembered(killed, async (longhand) => {
      const { stdout, exitCode } = await longhand("memory consolidate --model offline");
      expect(stdout).toBe(
        "Nothing waits. 1 conversation with an unanswered last turn, which is taken in once the conversation is continued.\n",
      );
      expect(exitCode).toBe(0);
      const json = await longhand("memory consolidate --model offline --json");
      expect(JSON.parse(json.stdout)).toMatchObject({ agents: [{ waiting: 0, open: 1 }] });
    });
  });

  test("is named by doctor and no problem, however long ago it was", async () => {
    await withRemembered(killed, async (longhand) => {
      const { stdout, exitCode } = await longhand("doctor");
      expect(exitCode).toBe(0);
      expect(stdout).toContain("1 conversation with an unanswered last turn");
      expect(stdout).not.toContain("waiting to be taken in");
      const report = JSON.parse((await longhand("doctor --json")).stdout) as {
        places: { memory: { path: string } };
        memory: object;
      };
      expect(report.memory).toMatchObject({ waiting: 0, open: 1 });
      const { examineConsolidation } = await import("../../src/sessions/examine-consolidation.ts");
      const later = Date.now() + 25 * 3_600_000;
      const { problems } = await examineConsolidation(report.places.memory.path, later, (words) => words);
      expect(problems).toEqual([]);
    });
  });
});
