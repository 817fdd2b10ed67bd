/** What was acknowledged is there when the same place is opened again. */

import assert from "node:assert/strict";
import { collect, keysOf, rejectsWith, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const reopenCases: readonly ConformanceCase[] = [
  {
    title: "messages, records and state are the same",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b", "c"), { id: "x" });
      await session.setSummary("summary");
      await session.setTitle("title");
      await session.setTags(["one", "two"]);
      await session.note("usage", { tokens: 3 });
      await session.truncate({ keepLast: 2 });
      await session.append(say("d"));
      await session.rewind({ messages: 1 });
      await session.compact({ summary: "shorter", keepFrom: 3 });
      const before = [await session.state(), await session.messages(), await collect(session.records())];
      const again = (await reopen()).session("s");
      assert.deepEqual([await again.state(), await again.messages(), await collect(again.records())], before);
    },
  },
  {
    title: "every session is there, and none that was only looked at",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      const keys = ["a", "b/c", "B", "b", "日本語"];
      for (const key of keys) await store.session(key).append(say(key));
      await store.session("looked at").messages();
      const again = await reopen();
      assert.deepEqual(await keysOf(again), [...keys].sort());
      for (const key of keys) assert.deepEqual(await view(again.session(key)), [key]);
    },
  },
  {
    title: "seqs go on where they were",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      await store.session("s").append(sayAll("a", "b"));
      const second = await reopen();
      assert.deepEqual(await second.session("s").append(say("c"), { expectedSeq: 2 }), { seq: 3 });
      const third = await reopen();
      assert.deepEqual(await third.session("s").append(say("d")), { seq: 4 });
      assert.deepEqual(await view(third.session("s")), ["a", "b", "c", "d"]);
    },
  },
  {
    title: "ids are remembered, and those that were cut are not",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      await store.session("s").append(say("a"), { id: "kept" });
      await store.session("s").append(say("b"), { id: "cut" });
      await store.session("s").rewind({ messages: 1 });
      const session = (await reopen()).session("s");
      assert.deepEqual(await session.append(say("a"), { id: "kept" }), { seq: 1 });
      await rejectsWith("ID_CONFLICT", session.append(say("z"), { id: "kept" }));
      assert.deepEqual(await session.append(say("z"), { id: "cut" }), { seq: 4 });
    },
  },
  {
    title: "a rewind can go back behind the reopening",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      await store.session("s").append(sayAll("a", "b", "c"));
      await store.session("s").truncate({ keepLast: 1 });
      const session = (await reopen()).session("s");
      await session.append(say("d"));
      await session.rewind({ to: 2 });
      assert.deepEqual(await view(session), ["a", "b"]);
      assert.deepEqual(await view((await reopen()).session("s")), ["a", "b"]);
    },
  },
  {
    title: "awkward messages come back exactly",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      const messages = sayAll("\ud800", "\u2028\n\r\0", "\ufeff", "🙂", "", '"\\', "x".repeat(300_000));
      await store.session("s").append(messages);
      for (const message of messages) await store.session("s").append(message);
      assert.deepEqual(await (await reopen()).session("s").messages(), [...messages, ...messages]);
    },
  },
  {
    title: "many times over",
    needs: ["durable"],
    run: async ({ reopen }) => {
      for (let round = 1; round <= 10; round++) {
        const session = (await reopen()).session("s");
        assert.deepEqual(await session.append(say(String(round))), { seq: round });
      }
      assert.equal((await (await reopen()).session("s").messages()).length, 10);
    },
  },
];
