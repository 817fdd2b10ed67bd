/** How the cost of one operation grows with the length of the session, or with the number of sessions. */

import { performance } from "node:perf_hooks";
import type { OpenedStore } from "../candidate.ts";
import { checkCount, checkList, checkMessages } from "../check-result.ts";
import { ONE_SESSION, sweepOfMessages, sweepOfSessions } from "../data-set.ts";
import { messagesOf, sessionKey } from "../message-mix.ts";
import { spreadOf } from "../statistics.ts";
import { operation, peakRssMb, timed, type MeasureContext, type Workload } from "../workload.ts";

const KEY = sessionKey(ONE_SESSION);
const FORK = `${KEY}-fork`;
const CANDIDATES = ["longhand", "sqlite-full"];
const FLAT = 1.5;

const OVER_MESSAGES = {
  unit: "ms",
  candidates: CANDIDATES,
  points: ({ sweepMessages }) => sweepMessages,
  pointsAre: "messages",
  data: (_, point) => sweepOfMessages(point),
} as const satisfies Partial<Workload>;

const OVER_SESSIONS = {
  unit: "ms",
  candidates: CANDIDATES,
  points: ({ sweepSessions }) => sweepSessions,
  pointsAre: "sessions",
  data: (_, point) => sweepOfSessions(point),
} as const satisfies Partial<Workload>;

/** In this order on one copy: `grows` says what each leaves to the next. */
export const SWEEPS: readonly Workload[] = [
  {
    ...OVER_MESSAGES,
    name: "sweep-tail",
    title: "open and read the last 50 messages",
    flatWithin: FLAT,
    measure: async ({ driver, directory, sizes: { tail }, point }) => {
      const { value, figures } = await timed(async () => {
        const store = await driver.open(directory, "sync");
        return { store, messages: await operation(store, "tail")(KEY, tail) };
      });
      const count = Math.min(tail, point);
      await checkMessages(driver, value.messages, { session: ONE_SESSION, from: point - count, count });
      await value.store.close();
      return { figures };
    },
  },
  {
    ...OVER_MESSAGES,
    name: "sweep-append",
    title: "durable append, median of many after the first",
    flatWithin: FLAT,
    copy: "shared",
    grows: ({ sweepAppends }) => sweepAppends,
    measure: async ({ driver, directory, sizes: { sweepAppends }, messages: before }) => {
      const messages = messagesOf(ONE_SESSION, before, sweepAppends).map((message) => driver.toOwn(message));
      const store = await driver.open(directory, "sync");
      const append = operation(store, "append");
      const times: number[] = [];
      for (const message of messages) {
        const begin = performance.now();
        await append(KEY, message);
        times.push(performance.now() - begin);
      }
      const rssMb = peakRssMb();
      await store.close();
      const [firstMs = NaN, ...others] = times;
      return { figures: { ms: spreadOf(others).median, firstMs, rssMb } };
    },
    verify: async (context) => await verifyEnd(context, KEY, context.messages + context.sizes.sweepAppends),
  },
  {
    ...OVER_MESSAGES,
    name: "sweep-rewind",
    title: "open and take back the last messages",
    flatWithin: FLAT,
    copy: "shared",
    grows: ({ sweepRewind }) => -sweepRewind,
    measure: async (context) =>
      await measureChange(context, async (store) => {
        await operation(store, "rewind")(KEY, context.sizes.sweepRewind);
      }),
    verify: async (context) => await verifyEnd(context, KEY, context.messages - context.sizes.sweepRewind),
  },
  {
    ...OVER_MESSAGES,
    name: "sweep-fork",
    title: "open and fork the session",
    copy: "shared",
    measure: async (context) =>
      await measureChange(context, async (store) => {
        await operation(store, "fork")(KEY, FORK);
      }),
    verify: async (context) => await verifyEnd(context, FORK, context.messages),
  },
  {
    ...OVER_MESSAGES,
    name: "sweep-truncate",
    title: "open and keep only the last 50 messages",
    flatWithin: FLAT,
    copy: "shared",
    measure: async (context) =>
      await measureChange(context, async (store) => {
        await operation(store, "truncate")(KEY, context.sizes.tail);
      }),
    verify: async ({ driver, directory, sizes: { tail }, messages }) => {
      const store = await driver.open(directory, "os");
      const kept = await operation(store, "load")(KEY);
      const count = Math.min(tail, messages);
      await checkMessages(driver, kept, { session: ONE_SESSION, from: messages - count, count });
      await store.close();
    },
  },
  {
    ...OVER_SESSIONS,
    name: "sweep-open",
    title: "open a store of so many sessions",
    flatWithin: FLAT,
    measure: async ({ driver, directory, point }) => {
      const { value: store, figures } = await timed(async () => await driver.open(directory, "sync"));
      const { messagesEach: count } = sweepOfSessions(point);
      const messages = await operation(store, "load")(sessionKey(point - 1));
      await checkMessages(driver, messages, { session: point - 1, from: 0, count });
      await store.close();
      return { figures };
    },
  },
  {
    ...OVER_SESSIONS,
    name: "sweep-list",
    title: "open and list so many sessions",
    measure: async ({ driver, directory, point }) => {
      const { value, figures } = await timed(async () => {
        const store = await driver.open(directory, "sync");
        return { store, listed: await operation(store, "list")() };
      });
      checkList(value.listed, sweepOfSessions(point));
      await value.store.close();
      return { figures };
    },
  },
];

async function measureChange(
  { driver, directory }: MeasureContext,
  change: (store: OpenedStore) => Promise<void>,
): ReturnType<Workload["measure"]> {
  const { value: store, figures } = await timed(async () => {
    const opened = await driver.open(directory, "sync");
    await change(opened);
    return opened;
  });
  await store.close();
  return { figures };
}

/** The whole session may be too long to be loaded: its count and its last messages are looked at. */
async function verifyEnd(
  { driver, directory, sizes }: MeasureContext,
  key: string,
  messages: number,
): Promise<void> {
  const store = await driver.open(directory, "os");
  checkCount(`messages of ${key}`, await operation(store, "count")(key), messages);
  const count = Math.min(sizes.tail, messages);
  const end = await operation(store, "tail")(key, count);
  await checkMessages(driver, end, { session: ONE_SESSION, from: messages - count, count });
  await store.close();
}
