/** W2: durable appends to many sessions at once, each session awaiting its own; and the same for half a minute. */

import { performance } from "node:perf_hooks";
import { checkMessages } from "../check-result.ts";
import { messagesOf, sessionKey } from "../message-mix.ts";
import {
  operation,
  peakRssMb,
  type Facts,
  type MeasureContext,
  type Measured,
  type Workload,
} from "../workload.ts";

/** The sustained run repeats the first messages of each session: how many it needs depends on the candidate. */
const SUSTAINED_POOL = 20;

export const concurrentAppend: Workload = {
  name: "W2",
  title: "durable append, many sessions at once",
  unit: "ops/s",
  isDurable: true,
  candidates: ["longhand", "sqlite-full", "sqlite-group", "libsql", "lmdb", "bare-file", "langgraph-sqlite"],
  titles: { "bare-file": "bare write + fdatasync", lmdb: "lmdb-js, flushed" },
  goals: [
    { peer: "sqlite-full", ratio: 8 },
    { peer: "sqlite-group", ratio: 0.9 },
  ],
  restMs: 400,
  countsSyncs: true,
  measure: async (context) => await appendToEach(context, context.sizes.sessionsAtOnce),
  verify: async (context) => await verifyEach(context, context.sizes.sessionsAtOnce),
};

export const concurrencySweep: Workload = {
  name: "W2-sessions",
  title: "durable append by the number of sessions at once",
  unit: "ops/s",
  isDurable: true,
  candidates: ["longhand", "sqlite-full", "sqlite-group", "lmdb"],
  points: ({ concurrency }) => concurrency,
  pointsAre: "sessions",
  measure: async (context) => await appendToEach(context, context.point),
  verify: async (context) => await verifyEach(context, context.point),
};

export const sustainedAppend: Workload = {
  name: "W2-sustained",
  title: "durable append, many sessions, sustained, until files are applied and closed",
  unit: "ops/s",
  isDurable: true,
  candidates: ["longhand", "sqlite-full", "sqlite-group"],
  goals: [{ peer: "sqlite-full", ratio: 5 }],
  restMs: 400,
  measure: sustain,
  verify: verifySustained,
};

function appendsEach({ candidate, sizes }: MeasureContext): number {
  return candidate.isReduced === true ? sizes.appendsEachReduced : sizes.appendsEach;
}

async function appendToEach(context: MeasureContext, sessions: number): Promise<Measured> {
  const { driver, directory } = context;
  const each = appendsEach(context);
  const plans = Array.from({ length: sessions }, (_, session) => ({
    key: sessionKey(session),
    messages: messagesOf(session, 0, each).map((message) => driver.toOwn(message)),
  }));
  const store = await driver.open(directory, "sync");
  const append = operation(store, "append");
  const begin = performance.now();
  await Promise.all(
    plans.map(async ({ key, messages }) => {
      for (const message of messages) await append(key, message);
    }),
  );
  const ms = performance.now() - begin;
  await store.close();
  const closedMs = performance.now() - begin;
  const n = sessions * each;
  return {
    figures: { ops: (n / ms) * 1000, appliedOps: (n / closedMs) * 1000, n, rssMb: peakRssMb() },
  };
}

async function verifyEach(context: MeasureContext, sessions: number): Promise<void> {
  const { driver, directory } = context;
  const store = await driver.open(directory, "os");
  for (let session = 0; session < sessions; session += 1) {
    const messages = await operation(store, "load")(sessionKey(session));
    await checkMessages(driver, messages, { session, from: 0, count: appendsEach(context) });
  }
  await store.close();
}

async function sustain({ driver, directory, sizes }: MeasureContext): Promise<Measured> {
  const plans = Array.from({ length: sizes.sessionsAtOnce }, (_, session) => ({
    key: sessionKey(session),
    messages: messagesOf(session, 0, SUSTAINED_POOL).map((message) => driver.toOwn(message)),
  }));
  const store = await driver.open(directory, "sync");
  const append = operation(store, "append");
  const begin = performance.now();
  const facts = await Promise.all(
    plans.map(async ({ key, messages }) => {
      let count = 0;
      for (; performance.now() - begin < sizes.sustainedMs; count += 1)
        await append(key, messages[count % SUSTAINED_POOL]);
      return count;
    }),
  );
  const ackedMs = performance.now() - begin;
  await store.close();
  const closedMs = performance.now() - begin;
  const n = facts.reduce((sum, count) => sum + count, 0);
  const figures = { ops: (n / closedMs) * 1000, ackedOps: (n / ackedMs) * 1000, n, rssMb: peakRssMb() };
  return { figures, facts };
}

async function verifySustained({ driver, directory }: MeasureContext, facts: Facts): Promise<void> {
  const store = await driver.open(directory, "os");
  for (const [session, count] of facts.entries()) {
    const messages = await operation(store, "load")(sessionKey(session));
    for (let from = 0; from < count; from += SUSTAINED_POOL) {
      const pool = messages.slice(from, from + SUSTAINED_POOL);
      await checkMessages(driver, pool, { session, from: 0, count: Math.min(SUSTAINED_POOL, count - from) });
    }
    await checkMessages(driver, messages.slice(count), { session, from: count, count: 0 });
  }
  await store.close();
}
