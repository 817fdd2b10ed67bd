/** An id makes a retry safe: among the last 1,000 records that no rewind or replace has cut. */

import assert from "node:assert/strict";
import { log, rejectsWith, say, sayAll, seqOf, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

const REMEMBERED = 1000;

function fillers(count: number): ReturnType<typeof sayAll> {
  return sayAll(...Array.from({ length: count }, (_, index) => `filler ${index}`));
}

export const appendIdCases: readonly ConformanceCase[] = [
  {
    title: "the same id with the same body gives the first seq again and writes nothing",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
      await session.append(say("b"));
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
      assert.deepEqual(await log(session), ["a", "b"]);
    },
  },
  {
    title: "the same id with another body is ID_CONFLICT and writes nothing",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"), { id: "x" });
      await rejectsWith("ID_CONFLICT", session.append(say("b"), { id: "x" }));
      await rejectsWith("ID_CONFLICT", session.append({ ...say("a"), name: "Ada" }, { id: "x" }));
      assert.deepEqual(await log(session), ["a"]);
    },
  },
  {
    title: "different ids with the same body are two messages",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
      assert.deepEqual(await session.append(say("a"), { id: "y" }), { seq: 2 });
    },
  },
  {
    title: "is looked at before expectedSeq: a retry need not know the new seq",
    run: async ({ store }) => {
      const session = store.session("s");
      const options = { id: "x", expectedSeq: 0 };
      assert.deepEqual(await session.append(say("a"), options), { seq: 1 });
      await session.append(say("b"));
      assert.deepEqual(await session.append(say("a"), options), { seq: 1 });
      await rejectsWith("ID_CONFLICT", session.append(say("z"), options));
      await rejectsWith("SEQ_CONFLICT", session.append(say("a"), { id: "new", expectedSeq: 0 }));
    },
  },
  {
    title: "an append refused for its expectedSeq leaves its id unused",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      await rejectsWith("SEQ_CONFLICT", session.append(say("b"), { id: "x", expectedSeq: 0 }));
      assert.deepEqual(await session.append(say("c"), { id: "x" }), { seq: 2 });
    },
  },
  {
    title: "a batch has one id",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append(sayAll("a", "b"), { id: "x" }), { seq: 2 });
      await session.append(say("c"));
      assert.deepEqual(await session.append(sayAll("a", "b"), { id: "x" }), { seq: 2 });
      for (const other of [sayAll("a"), sayAll("b"), sayAll("a", "b", "c"), sayAll("b", "a"), []]) {
        await rejectsWith("ID_CONFLICT", session.append(other, { id: "x" }));
      }
      assert.deepEqual(await log(session), ["a", "b", "c"]);
    },
  },
  {
    title: "a batch of which a rewind has cut a part is ID_CONFLICT: success would leave out what was cut",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b", "c"), { id: "x" });
      await session.rewind({ messages: 1 });
      await rejectsWith("ID_CONFLICT", session.append(sayAll("a", "b", "c"), { id: "x" }));
      await rejectsWith("ID_CONFLICT", session.append(sayAll("a", "b"), { id: "x" }));
      assert.deepEqual(await view(session), ["a", "b"]);
      await session.rewind({ to: 3 });
      assert.deepEqual(await session.append(sayAll("a", "b", "c"), { id: "x" }), { seq: 3 });
      assert.deepEqual(await view(session), ["a", "b", "c"]);
      await session.rewind({ messages: 3 });
      assert.deepEqual(await session.append(sayAll("a", "b", "c"), { id: "x" }), { seq: 9 });
      assert.deepEqual(await view(session), ["a", "b", "c"]);
    },
  },
  {
    title: "two retries at the same time are written once",
    run: async ({ store }) => {
      const session = store.session("s");
      const attempt = async (): Promise<unknown> => await session.append(say("a"), { id: "x" });
      assert.deepEqual(await Promise.all([attempt(), attempt(), attempt()]), [
        { seq: 1 },
        { seq: 1 },
        { seq: 1 },
      ]);
      assert.deepEqual(await log(session), ["a"]);
    },
  },
  {
    title: "is remembered for 1,000 records",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"), { id: "x" });
      await session.append(fillers(REMEMBERED - 1));
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
      assert.equal(await seqOf(session), REMEMBERED);
    },
  },
  {
    title: "is forgotten after 1,000 records",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"), { id: "x" });
      await session.append(fillers(REMEMBERED));
      assert.deepEqual(await session.append(say("b"), { id: "x" }), { seq: REMEMBERED + 2 });
    },
  },
  {
    title: "is forgotten when a rewind has cut its message",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      await session.append(say("b"), { id: "x" });
      await session.rewind({ messages: 1 });
      assert.deepEqual(await session.append(say("b"), { id: "x" }), { seq: 4 });
      assert.deepEqual(await session.append(say("b"), { id: "x" }), { seq: 4 });
      assert.deepEqual(await view(session), ["a", "b"]);
    },
  },
  {
    title: "is forgotten when replace has cut its message",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"), { id: "x" });
      await session.replace(sayAll("new"));
      const { seq } = await session.append(say("a"), { id: "x" });
      assert.equal(seq, await seqOf(session));
      assert.deepEqual(await view(session), ["new", "a"]);
    },
  },
  {
    title: "is remembered though truncate and compact have hidden its message",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"), { id: "x" });
      await session.append(say("b"));
      await session.truncate({ keepLast: 1 });
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
      await session.compact({ summary: "all of it", keepFrom: 4 });
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
      assert.deepEqual(await view(session), []);
    },
  },
  {
    title: "belongs to one session",
    run: async ({ store }) => {
      await store.session("one").append(say("a"), { id: "x" });
      assert.deepEqual(await store.session("two").append(say("b"), { id: "x" }), { seq: 1 });
    },
  },
  {
    title: "any text may be one",
    run: async ({ store }) => {
      const session = store.session("s");
      const ids = ['"', "\\", "\n", "{}", "ü", "🙂", "\u2028", "__proto__", "\ud800", "x".repeat(256)];
      for (const [index, id] of ids.entries()) {
        assert.deepEqual(await session.append(say("same"), { id }), { seq: index + 1 });
      }
      for (const [index, id] of ids.entries()) {
        assert.deepEqual(await session.append(say("same"), { id }), { seq: index + 1 });
      }
    },
  },
];
