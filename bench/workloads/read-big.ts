/** W4, W5 and W6: one long session, opened by a fresh process. */

import { checkCount, checkMessages } from "../check-result.ts";
import { big, ONE_SESSION } from "../data-set.ts";
import { sessionKey } from "../message-mix.ts";
import { operation, timed, type MeasureContext, type Measured, type Workload } from "../workload.ts";

const KEY = sessionKey(ONE_SESSION);
const READERS = ["longhand", "sqlite-full", "libsql", "lmdb", "bare-file"];
const WHOLE_READERS = ["pi", "langchain-file", "langgraph-sqlite"];

export const coldTail: Workload = {
  name: "W4",
  title: "open and read the last 50 messages of a long session",
  unit: "ms",
  candidates: [...READERS, ...WHOLE_READERS],
  data: big,
  goals: [{ peer: "sqlite-full", ratio: 2 }],
  measure: async ({ driver, directory, sizes: { tail, bigMessages } }) => {
    const { value, figures } = await timed(async () => {
      const store = await driver.open(directory, "sync");
      return { store, messages: await operation(store, "tail")(KEY, tail) };
    });
    const expected = { session: ONE_SESSION, from: bigMessages - tail, count: tail };
    await checkMessages(driver, value.messages, expected);
    await value.store.close();
    return { figures };
  },
};

export const coldLoad: Workload = {
  name: "W5",
  title: "open and load every message of a long session, retained",
  unit: "ms",
  candidates: [...READERS, ...WHOLE_READERS],
  data: big,
  goals: [{ peer: "sqlite-full", ratio: 1 }],
  measure: async ({ driver, directory, sizes: { bigMessages } }) => {
    const { value, figures } = await timed(async () => {
      const store = await driver.open(directory, "sync");
      return { store, messages: await operation(store, "load")(KEY) };
    });
    await checkMessages(driver, value.messages, { session: ONE_SESSION, from: 0, count: bigMessages });
    await value.store.close();
    return { figures };
  },
};

export const coldIterate: Workload = {
  name: "W5-iterate",
  title: "open and iterate over every message of a long session, none retained",
  unit: "ms",
  candidates: READERS,
  data: big,
  goals: [{ peer: "sqlite-full", ratio: 0.9 }],
  measure: iterate,
};

async function iterate({ driver, directory, sizes: { bigMessages } }: MeasureContext): Promise<Measured> {
  const { value, figures } = await timed(async () => {
    const store = await driver.open(directory, "sync");
    let count = 0;
    for await (const message of operation(store, "iterate")(KEY)) count += message === undefined ? 0 : 1;
    return { store, count };
  });
  checkCount("messages iterated", value.count, bigMessages);
  // Once more, outside of the timing, with a look at each.
  const again = operation(value.store, "iterate")(KEY);
  await checkMessages(driver, again, { session: ONE_SESSION, from: 0, count: bigMessages });
  await value.store.close();
  return { figures };
}

export const truncate: Workload = {
  name: "W6",
  title: "open and keep only the last 50 messages of a long session, durable",
  unit: "ms",
  candidates: READERS,
  data: big,
  copy: "own",
  goals: [{ peer: "sqlite-full", ratio: 20 }],
  measure: async ({ driver, directory, sizes: { tail } }) => {
    const { value, figures } = await timed(async () => {
      const store = await driver.open(directory, "sync");
      await operation(store, "truncate")(KEY, tail);
      return store;
    });
    await value.close();
    return { figures };
  },
  verify: async ({ driver, directory, sizes: { tail, bigMessages } }) => {
    const store = await driver.open(directory, "os");
    const messages = await operation(store, "load")(KEY);
    await checkMessages(driver, messages, { session: ONE_SESSION, from: bigMessages - tail, count: tail });
    await store.close();
  },
};
