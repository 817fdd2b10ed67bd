/** W1 and W3: appends to one session, one after another. */

import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenMode } from "../candidate.ts";
import { checkMessages } from "../check-result.ts";
import { ONE_SESSION } from "../data-set.ts";
import { messagesOf, sessionKey } from "../message-mix.ts";
import { percentile } from "../statistics.ts";
import { operation, peakRssMb, type MeasureContext, type Measured, type Workload } from "../workload.ts";

const WARM_UP_SESSION = 0;
const NANOSECONDS_PER_MS = 1e6;
const DELAY_RESOLUTION_MS = 1;
const DELAY_SETTLE_MS = 5;

export const durableAppend: Workload = {
  name: "W1",
  title: "durable append, one session",
  unit: "ops/s",
  isDurable: true,
  candidates: [
    ...["longhand", "sqlite-full", "sqlite-normal", "libsql", "lmdb", "bare-file", "langgraph-sqlite"],
  ],
  titles: { "bare-file": "bare write + fdatasync", lmdb: "lmdb-js, flushed" },
  goals: [{ peer: "sqlite-full", ratio: 1.15 }],
  restMs: 400,
  countsSyncs: true,
  measure: async (context) => await appendAll(context, "sync", durableCount(context)),
  verify: async (context) => await verifyAll(context, durableCount(context)),
};

export const unsyncedAppend: Workload = {
  name: "W3",
  title: 'append without sync, one session (Longhand: durability "os")',
  unit: "ops/s",
  candidates: [
    ...["longhand", "pi", "sqlite-normal", "bare-file", "lmdb", "langchain-file", "openai-memory"],
  ],
  titles: { "bare-file": "bare write", lmdb: "lmdb-js, committed and not flushed" },
  goals: [
    { peer: "pi", ratio: 0.8 },
    { peer: "sqlite-normal", ratio: 2.5 },
  ],
  measure: async (context) => await appendAll(context, "os", unsyncedCount(context)),
  verify: async (context) => await verifyAll(context, unsyncedCount(context)),
};

function durableCount({ candidate, sizes }: MeasureContext): number {
  return candidate.isReduced === true ? sizes.oneSessionReduced : sizes.oneSession;
}

function unsyncedCount({ candidate, sizes }: MeasureContext): number {
  return candidate.isReduced === true ? sizes.unsyncedReduced : sizes.unsynced;
}

async function appendAll(context: MeasureContext, mode: OpenMode, count: number): Promise<Measured> {
  const { candidate, driver, directory, sizes } = context;
  const messages = messagesOf(ONE_SESSION, 0, count).map((message) => driver.toOwn(message));
  const store = await driver.open(directory, mode);
  const append = operation(store, "append");
  for (const message of messages.slice(0, sizes.warmUp)) await append(sessionKey(WARM_UP_SESSION), message);

  const key = sessionKey(ONE_SESSION);
  const latencies = new Float64Array(count);
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  // It measures from its first tick on. A candidate that never returns to the event loop shows its delay in the first
  // turn after the timing.
  await sleep(DELAY_SETTLE_MS);
  const begin = performance.now();
  let index = 0;
  for (const message of messages) {
    const before = performance.now();
    await append(key, message);
    latencies[index] = performance.now() - before;
    index += 1;
  }
  const ms = performance.now() - begin;
  const rssMb = peakRssMb();
  await sleep(DELAY_SETTLE_MS);
  delay.disable();

  if (candidate.isVolatile === true) {
    await checkMessages(driver, await operation(store, "load")(key), { session: 1, from: 0, count });
  }
  await store.close();
  return {
    figures: {
      ops: (count / ms) * 1000,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      loopDelayP99Ms: delay.percentile(99) / NANOSECONDS_PER_MS,
      loopDelayMaxMs: delay.max / NANOSECONDS_PER_MS,
      n: count,
      rssMb,
    },
  };
}

async function verifyAll({ driver, directory }: MeasureContext, count: number): Promise<void> {
  const store = await driver.open(directory, "os");
  const messages = await operation(store, "load")(sessionKey(ONE_SESSION));
  await checkMessages(driver, messages, { session: ONE_SESSION, from: 0, count });
  await store.close();
}
