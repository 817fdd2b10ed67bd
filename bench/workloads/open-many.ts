/** W7, W8 and W9: a store of many sessions, opened by a fresh process. */

import { checkHits, checkList, checkMessages } from "../check-result.ts";
import { many } from "../data-set.ts";
import { RARE_WORD, sessionKey } from "../message-mix.ts";
import { operation, timed, type Workload } from "../workload.ts";

export const list: Workload = {
  name: "W7",
  title: "open and list many sessions with title, count and time",
  unit: "ms",
  candidates: ["longhand", "sqlite-full", "libsql", "lmdb", "bare-file", "pi", "langgraph-sqlite"],
  titles: { "bare-file": "bare scan" },
  data: many,
  goals: [{ peer: "sqlite-full", ratio: 1 }],
  measure: async ({ driver, directory, sizes }) => {
    const { value, figures } = await timed(async () => {
      const store = await driver.open(directory, "sync");
      return { store, listed: await operation(store, "list")() };
    });
    checkList(value.listed, many(sizes));
    await value.store.close();
    return { figures };
  },
};

export const start: Workload = {
  name: "W8",
  title: "open a store of many sessions",
  unit: "ms",
  candidates: [
    ...["longhand", "sqlite-full", "libsql", "lmdb", "bare-file", "pi", "langchain-file", "langgraph-sqlite"],
  ],
  data: many,
  goals: [{ peer: "sqlite-full", ratio: 2.5 }],
  measure: async ({ driver, directory, sizes: { manySessions, manyMessages } }) => {
    const { value: store, figures } = await timed(async () => await driver.open(directory, "sync"));
    const session = manySessions - 1;
    const messages = await operation(store, "load")(sessionKey(session));
    await checkMessages(driver, messages, { session, from: 0, count: manyMessages });
    await store.close();
    return { figures };
  },
};

export const search: Workload = {
  name: "W9",
  title: "open a store of many sessions and search a rare word",
  unit: "ms",
  candidates: ["longhand", "bare-file", "sqlite-fts5", "sqlite-full", "libsql"],
  data: many,
  titles: { "bare-file": "bare scan", "sqlite-full": "better-sqlite3, LIKE", libsql: "libsql, LIKE" },
  goals: [{ peer: "bare-file", ratio: 1 }],
  measure: async ({ driver, directory, sizes }) => {
    const { value, figures } = await timed(async () => {
      const store = await driver.open(directory, "sync");
      return { store, hits: await operation(store, "search")(RARE_WORD) };
    });
    checkHits(driver, value.hits, many(sizes));
    await value.store.close();
    return { figures };
  },
};
