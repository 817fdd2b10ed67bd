/** Closing waits for what is under way; afterwards everything is STORE_CLOSED. */

import assert from "node:assert/strict";
import { collect, rejectsWith, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const closeCases: readonly ConformanceCase[] = [
  {
    title: "afterwards every call is STORE_CLOSED",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      await store.close();
      const calls: readonly (() => Promise<unknown>)[] = [
        () => session.append(say("b")),
        () => session.append([]),
        () => session.messages(),
        () => collect(session.iterate()),
        () => collect(session.records()),
        () => session.state(),
        () => session.exists(),
        () => session.setSummary("s"),
        () => session.setTitle("t"),
        () => session.setTags(["t"]),
        () => session.note("n", 1),
        () => session.truncate({ keepLast: 1 }),
        () => session.rewind({ messages: 1 }),
        () => session.compact({ summary: "s", keepFrom: 1 }),
        () => session.replace([]),
        () => session.fork("child"),
        () => session.lock(),
        () => collect(session.watch()),
        () => store.verify(),
        () => store.repair(),
        () => store.reclaim(),
        () => store.purge(),
        () => collect(store.list()),
        () => store.search("a"),
        () => store.session("new").append(say("b")),
      ];
      for (const call of calls) await rejectsWith("STORE_CLOSED", call());
    },
  },
  {
    title: "can be called twice, also at the same time",
    run: async ({ store }) => {
      await store.session("s").append(say("a"));
      await Promise.all([store.close(), store.close()]);
      await store.close();
      await store[Symbol.asyncDispose]();
    },
  },
  {
    title: "disposing is closing",
    run: async ({ store }) => {
      await store[Symbol.asyncDispose]();
      await rejectsWith("STORE_CLOSED", store.session("s").append(say("a")));
    },
  },
  {
    title: "writes called before it are done, not dropped",
    run: async ({ store }) => {
      const session = store.session("s");
      const writes = [
        session.append(say("a")),
        session.append(sayAll("b", "c")),
        session.truncate({ keepLast: 1 }),
      ];
      await store.close();
      assert.deepEqual(await Promise.all(writes), [{ seq: 1 }, { seq: 3 }, { seq: 4 }]);
    },
  },
  {
    title: "writes called before it are there after reopening",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      const writes = Array.from(
        { length: 20 },
        async (_, index) => await store.session(`s${index % 4}`).append(say(String(index))),
      );
      await store.close();
      await Promise.all(writes);
      const again = await reopen();
      assert.deepEqual(await view(again.session("s1")), ["1", "5", "9", "13", "17"]);
    },
  },
];
