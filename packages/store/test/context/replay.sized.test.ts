/**
 * A long life: thousands of turns with tools through building, compacting and consolidating, with a scripted model, on a
 * machine whose process is killed, or whose power is cut, every now and then. Nothing acknowledged is lost, no request is
 * over its budget or refused by a strict provider, no turn is consolidated twice or left out; and what a turn costs does not
 * grow.
 */

import { layoutOf } from "../../src/format/layout.ts";
import { expect, test } from "vitest";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { compactSession } from "../../src/context/compaction/compact-session.ts";
import { standardEstimator, tokensOfTools } from "../../src/context/tokens/estimators.ts";
import { buildContext, repairHistory, type AskModel } from "../../src/context.ts";
import type { Host } from "../../src/host/host.ts";
import { openStore, type Message, type Session } from "../../src/index.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import type { Memory, Scope } from "../../src/memory.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { sized } from "../../../../test/support/sized.ts";
import { refusal } from "../support/strict-provider.ts";

const TURNS = sized(300, 2000);
const MOST_OPERATIONS_OF_A_LIFE = sized(1500, 6000);
const KEY = "chat";
const SCOPE: Scope = { user: "ann" };
/** Small, so that files are sealed many times. */
const SEGMENT_BYTES = 128 * 1024;
const MAX_TOKENS = 3000;
const RESERVE = 400;
const TOOLS = [{ name: "look", description: "Looks something up", parameters: { type: "object" } }];

interface Life {
  readonly turns: number;
  readonly durability: "sync" | "os";
  /** The first turn that is not known to be complete. */
  turn: number;
  /** By the id of its append. */
  readonly acknowledged: Map<string, Message>;
  compactions: number;
  /** File operations, by turn. */
  readonly operations: number[];
  /** Turns that a process began with: they pay for opening as well. */
  readonly first: Set<number>;
  readonly random: SeededRandom;
}

/** Names the turns it was shown, so that each can be counted in what is remembered. */
const scribe: AskModel = ({ user }) => {
  const turns = [...user.matchAll(/USER: turn <(\d+)>/gu)].map(([, turn]) => turn);
  return Promise.resolve(JSON.stringify({ history_entry: `turns: ${turns.join(" ")}`, facts: [] }));
};

const minutes: AskModel = ({ user }) => Promise.resolve(`minutes of ${user.length} characters`);

async function liveUntilKilled(host: Host, life: Life): Promise<void> {
  const quiet = { onError: () => undefined, onDamage: () => undefined, durability: life.durability };
  const store = await openStore(jsonlBackend("/sessions", { host, segmentBytes: SEGMENT_BYTES }), quiet);
  const world = {
    host,
    openStore: async (directory: string) =>
      await openStore(jsonlBackend(directory, { host, segmentBytes: SEGMENT_BYTES }), quiet),
    damagedBytesIn: (directory: string) => layoutOf(directory).damaged,
  };
  const memory = await openMemory(world, { directory: "/memory", sessions: store });
  const session = store.session(KEY);
  await repairHistory(session);
  for (; life.turn <= life.turns; life.turn += 1) await takeTurn(host, session, memory, life);
  await memory.close();
  await store.close();
}

async function takeTurn(host: Host, session: Session, memory: Memory, life: Life): Promise<void> {
  const { turn } = life;
  const say = async (part: string, messages: readonly Message[]): Promise<void> => {
    // The id makes a retry after a crash safe: it is there once, whether the first try got through or not.
    await session.append(messages, { id: `${turn} ${part}` });
    for (const [index, message] of messages.entries())
      life.acknowledged.set(`${turn} ${part} ${index}`, message);
  };
  await say("question", [{ role: "user", content: `turn <${turn}> ${"and more ".repeat(turn % 30)}` }]);
  const calls = Array.from({ length: turn % 3 }, (_, index) => ({
    ...{ id: `call_${index}`, name: "look", arguments: { at: turn } },
  }));
  if (calls.length > 0) {
    const results = calls.map(({ id }): Message => ({ role: "tool", toolCallId: id, content: result(turn) }));
    await say("call", [{ role: "assistant", content: "", toolCalls: calls }, ...results]);
  }
  await request(session);
  await say("answer", [{ role: "assistant", content: `answer <${turn}>` }]);
  if (turn % 3 === 0) await compactIfNeeded(host, session, life);
  // In the background, now and then.
  if (turn % 4 === 0 || turn === life.turns)
    await memory.consolidate(session, { scope: SCOPE, model: scribe });
}

async function compactIfNeeded(host: Host, session: Session, life: Life): Promise<void> {
  const { done } = await compactSession(host, session, {
    ...{ ask: life.random.below(10) === 0 ? () => Promise.reject(new Error("down")) : minutes },
    ...{ maxContextTokens: MAX_TOKENS, maxHistoryMessages: 50 },
  });
  if (done) life.compactions += 1;
}

function result(turn: number): string {
  return `result of ${turn} ${"x y z ".repeat((turn * 37) % 400)}`;
}

async function request(session: Session): Promise<void> {
  const options = { maxTokens: MAX_TOKENS, reserve: RESERVE, tools: TOOLS, system: "You are helpful." };
  const { messages } = await buildContext(session, options);
  const tokens = messages.reduce((sum, message) => sum + standardEstimator.tokensOfMessage(message), 0);
  expect(tokens + tokensOfTools(TOOLS, standardEstimator) + RESERVE).toBeLessThanOrEqual(MAX_TOKENS);
  expect(refusal(messages)).toBeUndefined();
}

/** Runs one process until it is done or killed; answers with the machine as the next one finds it. */
async function runOnce(machine: SimulatedMachine, life: Life, killAfter: number): Promise<SimulatedMachine> {
  const host = machine.startProcess();
  let operations = 0;
  const killed = new AbortController();
  let captured = machine.capture();
  machine.onOperation(() => {
    life.operations[life.turn] = (life.operations[life.turn] ?? 0) + 1;
    if (++operations !== killAfter) return;
    captured = machine.capture();
    killed.abort();
    host.kill();
  });
  try {
    await liveUntilKilled(host, life);
    return machine;
  } catch (error) {
    if (!killed.signal.aborted) throw error;
  }
  if (life.random.below(2) === 0) return captured.afterKill();
  // Several, since the first ones are the extremes: everything kept, everything lost.
  const states = [...captured.afterPowerLoss({ limit: 8, seed: life.random.below(2 ** 31) })];
  return states[life.random.below(states.length)] ?? captured.afterKill();
}

async function replay(
  turns: number,
  durability: Life["durability"],
): Promise<{ life: Life; lives: number; machine: SimulatedMachine }> {
  const random = new SeededRandom(7);
  const life: Life = {
    ...{
      turns,
      durability,
      turn: 1,
      acknowledged: new Map(),
      compactions: 0,
      operations: [],
      first: new Set(),
      random,
    },
  };
  let machine = new SimulatedMachine(7);
  let lives = 0;
  while (life.turn <= turns) {
    lives += 1;
    life.first.add(life.turn);
    machine = await runOnce(machine, life, 200 + random.below(MOST_OPERATIONS_OF_A_LIFE));
  }
  return { life, lives, machine };
}

/** Messages that are not there as often as they were acknowledged; those of one turn may be alike. */
async function miscounted(machine: SimulatedMachine, { acknowledged }: Life): Promise<string[]> {
  const store = await openStore(jsonlBackend("/sessions", { host: machine.startProcess() }), {
    readOnly: true,
  });
  const found = new Map<string, number>();
  for await (const record of store.session(KEY).records()) {
    if (record.op !== undefined) continue;
    const text = JSON.stringify(record.message);
    found.set(text, (found.get(text) ?? 0) + 1);
  }
  const expected = new Map<string, number>();
  for (const message of acknowledged.values()) {
    const text = JSON.stringify(message);
    expected.set(text, (expected.get(text) ?? 0) + 1);
  }
  await store.close();
  return [...expected].filter(([text, count]) => found.get(text) !== count).map(([text]) => text);
}

test("control: where acknowledged is not durable, the same look finds that messages are missing", async () => {
  const { life, machine } = await replay(sized(200, 800), "os");
  expect((await miscounted(machine, life)).length).toBeGreaterThan(0);
}, 600_000);

test(`${TURNS} turns, killed and cut off every few hundred operations`, async () => {
  const { life, lives, machine } = await replay(TURNS, "sync");
  expect(lives).toBeGreaterThan(sized(8, 20));
  expect(life.compactions).toBeGreaterThan(sized(8, 50));
  expect((await miscounted(machine, life)).slice(0, 3)).toEqual([]);

  const host = machine.startProcess();
  const world = {
    host,
    openStore: async (directory: string) =>
      await openStore(jsonlBackend(directory, { host, segmentBytes: SEGMENT_BYTES })),
    damagedBytesIn: (directory: string) => layoutOf(directory).damaged,
  };
  const store = await openStore(jsonlBackend("/sessions", { host }), { readOnly: true });
  const memory = await openMemory(world, { directory: "/memory", sessions: store });
  const turns = (await memory.entries({ scope: SCOPE, kind: "daily" })).flatMap(({ text }) =>
    [...text.matchAll(/\d+/gu)].map(([turn]) => Number(turn)),
  );
  expect(turns).toEqual(Array.from({ length: TURNS }, (_, index) => index + 1));

  // Means over many turns: one that compacts or consolidates costs several times as much as the one before it.
  const meanOf = (from: number, to: number): number =>
    mean(
      life.operations.filter((_, turn) => turn >= from * TURNS && turn < to * TURNS && !life.first.has(turn)),
    );
  expect(meanOf(0.7, 1)).toBeLessThan(meanOf(0.1, 0.4) * 1.3);
}, 600_000);

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
