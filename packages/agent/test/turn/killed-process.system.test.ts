/** A real process is killed after each event of a turn, and before and after each of its writes; this one then opens the store. */

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore, type Session } from "@longhand/store";
import { buildContext } from "@longhand/store/context";
import { expect, test } from "vitest";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import type { AgentEvent } from "../../src/events.ts";
import { Mailbox } from "../../src/kernel/mailbox.ts";
import { recoverTurn } from "../../src/turn/recover-turn.ts";
import { runTurn } from "../../src/turn/run-turn.ts";
import type { Said, TurnResult } from "../../src/turn/types.ts";
import { judgeRecovery } from "./support/judge-recovery.ts";
import { KEY, SAID } from "./support/kill-scenario.mjs";
import { plainText } from "./support/plain-text.ts";
import { withDirectory } from "./support/with-store.ts";

const SCRIPT = fileURLToPath(new URL("support/killed-turn.mjs", import.meta.url));
/** More at a time would only wait for each other. */
const AT_A_TIME = 4;

type Kill = readonly [mode: "event" | "before" | "after", number: number];

interface Printed {
  readonly events: readonly AgentEvent[];
  readonly writes: number;
  readonly result: TurnResult | undefined;
  readonly endedBy: string;
}

async function runChild(directory: string, [mode, number]: Kill): Promise<Printed> {
  const child = spawn(process.execPath, [SCRIPT, directory, mode, String(number)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const endedBy = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(signal ?? String(code)));
  });
  const lines = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { event?: AgentEvent; write?: number; result?: TurnResult });
  return {
    events: lines.flatMap(({ event }) => (event === undefined ? [] : [event])),
    writes: lines.filter(({ write }) => write !== undefined).length,
    result: lines.find(({ result }) => result !== undefined)?.result,
    endedBy,
  };
}

async function effectsIn(directory: string): Promise<number> {
  return (await readFile(join(directory, "effects"), "utf8").catch(() => "")).length;
}

type Recovery = (session: Session) => Promise<unknown>;

const recovery: Recovery = async (session) =>
  await recoverTurn(session, { agent: "test", events: () => undefined });

/** Answers with what is wrong, or `undefined`. */
async function killAndJudge(
  kill: Kill,
  recover: Recovery = recovery,
  onAlive: () => void = () => undefined,
): Promise<string | undefined> {
  return await withDirectory(async (directory) => {
    const { events, endedBy, result } = await runChild(directory, kill);
    if (endedBy === "0" && result !== undefined) onAlive();
    else if (endedBy !== "SIGKILL") return `it was not killed, but ended by ${endedBy}`;
    const store = await openStore(join(directory, "sessions"));
    try {
      const session = store.session(KEY);
      await recover(session);
      const effects = await effectsIn(directory);
      return (await judgeRecovery(session, { events, effects })) ?? (await goOn(session, directory, effects));
    } finally {
      await store.close();
    }
  });
}

/** The same words again are not done again, and the next ones are answered. */
async function goOn(session: Session, directory: string, effects: number): Promise<string | undefined> {
  const wasSaid = (await session.messages()).some(({ content }) => content === SAID.text);
  let asked = 0;
  const say = async (said: Said): Promise<TurnResult> =>
    await runTurn(
      session,
      said,
      { id: `again ${plainText(said.text)}`, signal: new AbortController().signal, steering: new Mailbox(1) },
      {
        agent: "test",
        tools: [],
        system: () => Promise.resolve("Be brief."),
        events: () => undefined,
        model: {
          name: "brief",
          async *stream() {
            asked += 1;
            yield { type: "text", text: "fine" };
            await Promise.resolve();
            const usage = { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined };
            yield { type: "finish", reason: "stop", usage };
          },
        },
      },
    );
  const again = await say(SAID);
  if (wasSaid && (asked !== 0 || again.turn !== "turn-1")) return "the same words were answered again";
  if (!wasSaid && asked !== 1) return "words that were never kept were not answered";
  if ((await say({ text: "go on" })).outcome !== "answered") return "it does not go on";
  if ((await effectsIn(directory)) !== effects) return "something was done again";
  const refused = refusal((await buildContext(session)).messages);
  return refused === undefined ? undefined : `the next request is not valid: ${refused}`;
}

async function killEach(kills: readonly Kill[]): Promise<string[]> {
  const problems: string[] = [];
  let alive = 0;
  const rest = kills.values();
  const work = async (): Promise<void> => {
    for (const kill of rest) {
      const problem = await killAndJudge(kill, recovery, () => (alive += 1));
      if (problem !== undefined) problems.push(`${kill.join(" ")}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  // On a busy machine one more part of an answer may be written the first time, and not the second.
  expect(alive).toBeLessThan(5);
  return problems;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test("killed after each event, and before and after each write, nothing is lost and nothing is done twice", async () => {
  const whole = await withDirectory(async (directory) => {
    const printed = await runChild(directory, ["event", 0]);
    expect(await effectsIn(directory)).toBe(1);
    return printed;
  });
  expect(whole).toMatchObject({ endedBy: "0", result: { outcome: "answered", text: "It is one. Hello!" } });
  const types = new Set(whole.events.map(({ type }) => type));
  expect([...types].sort()).toEqual([
    "compaction",
    "reasoning-delta",
    "text-delta",
    "tool-call",
    "tool-result",
    "turn-end",
    "turn-start",
    "usage",
  ]);
  const kills: Kill[] = [
    ...upTo(whole.events.length).map((number): Kill => ["event", number]),
    ...upTo(whole.writes).map((number): Kill => ["before", number]),
    ...upTo(whole.writes).map((number): Kill => ["after", number]),
  ];
  expect(await killEach(kills)).toEqual([]);
}, 600_000);

test("a recovery that does nothing is found by the same judge", async () => {
  const problem = await killAndJudge(["event", 6], () => Promise.resolve());
  expect(problem).toMatch(/not valid|still open/);
});
