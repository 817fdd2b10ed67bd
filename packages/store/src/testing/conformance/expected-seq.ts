/** Every write takes `expectedSeq`: the seq it builds on. A mismatch writes nothing. */

import assert from "node:assert/strict";
import type { Session, WriteOptions, Written } from "../../contract/types.ts";
import { log, rejectsWith, say, sayAll, seqOf } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

type Write = (session: Session, options: WriteOptions) => Promise<Written>;

const WRITES: Readonly<Record<string, Write>> = {
  append: (session, options) => session.append(say("x"), options),
  "append of a batch": (session, options) => session.append(sayAll("x", "y"), options),
  setSummary: (session, options) => session.setSummary("x", options),
  setTitle: (session, options) => session.setTitle("x", options),
  setTags: (session, options) => session.setTags(["x"], options),
  note: (session, options) => session.note("x", 1, options),
  truncate: (session, options) => session.truncate({ keepLast: 1 }, options),
  rewind: (session, options) => session.rewind({ messages: 1 }, options),
  compact: (session, options) => session.compact({ summary: "x", keepFrom: 1 }, options),
  replace: (session, options) => session.replace(sayAll("x"), options),
};

const perWrite = Object.entries(WRITES).map(([name, write]): ConformanceCase => ({
  title: `${name} goes through on the right seq only`,
  run: async ({ store }) => {
    const session = store.session("s");
    await session.append(sayAll("a", "b", "c"));
    for (const expectedSeq of [0, 2, 4]) {
      const error = await rejectsWith("SEQ_CONFLICT", write(session, { expectedSeq }));
      assert.match(error.message, /3/, "the message names the present seq");
      assert.deepEqual(await log(session), ["a", "b", "c"]);
    }
    const { seq } = await write(session, { expectedSeq: 3 });
    assert.ok(seq > 3);
    assert.equal(await seqOf(session), seq);
  },
}));

export const expectedSeqCases: readonly ConformanceCase[] = [
  ...perWrite,
  {
    title: "0 means that the session must not exist yet",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append(say("a"), { expectedSeq: 0 }), { seq: 1 });
      await rejectsWith("SEQ_CONFLICT", session.append(say("b"), { expectedSeq: 0 }));
    },
  },
  {
    title: "a seq of a session that does not exist is a conflict and does not create it",
    run: async ({ store }) => {
      const session = store.session("s");
      await rejectsWith("SEQ_CONFLICT", session.append(say("a"), { expectedSeq: 1 }));
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "of many writers on one seq exactly one wins",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      const attempts = Array.from(
        { length: 10 },
        async (_, index) => await session.append(say(`writer ${index}`), { expectedSeq: 1 }),
      );
      const outcomes = await Promise.allSettled(attempts);
      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      assert.deepEqual(await log(session), ["a", "writer 0"]);
    },
  },
  {
    title: "writes can be chained without waiting for each other",
    run: async ({ store }) => {
      const session = store.session("s");
      const seqs = await Promise.all([
        session.append(say("a"), { expectedSeq: 0 }),
        session.append(sayAll("b", "c"), { expectedSeq: 1 }),
        session.setTitle("t", { expectedSeq: 3 }),
        session.truncate({ keepLast: 1 }, { expectedSeq: 4 }),
        session.append(say("d"), { expectedSeq: 5 }),
      ]);
      assert.deepEqual(
        seqs.map(({ seq }) => seq),
        [1, 3, 4, 5, 6],
      );
    },
  },
];
