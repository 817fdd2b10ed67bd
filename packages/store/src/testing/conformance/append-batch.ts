/** An array is one atomic batch. */

import assert from "node:assert/strict";
import type { Message } from "../../format/message.ts";
import { log, refusesOption, rejectsWith, say, sayAll, seqOf, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const appendBatchCases: readonly ConformanceCase[] = [
  {
    title: "resolves with the seq of its last message",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append(sayAll("a", "b", "c")), { seq: 3 });
      assert.deepEqual(await session.append(sayAll("d", "e")), { seq: 5 });
      assert.deepEqual(await session.append(say("f")), { seq: 6 });
      assert.deepEqual(await view(session), ["a", "b", "c", "d", "e", "f"]);
    },
  },
  {
    title: "of one message is that message",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append([say("alone")]), { seq: 1 });
      assert.deepEqual(await session.messages(), [say("alone")]);
    },
  },
  {
    title: "an empty one answers the present seq and does not create the session",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.append([]), { seq: 0 });
      assert.equal(await session.exists(), false);
      await session.append(sayAll("a", "b"));
      assert.deepEqual(await session.append([]), { seq: 2 });
      assert.equal(await seqOf(session), 2);
    },
  },
  {
    title: "an empty one still checks expectedSeq and its options",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      await rejectsWith("SEQ_CONFLICT", session.append([], { expectedSeq: 0 }));
      assert.deepEqual(await session.append([], { expectedSeq: 1 }), { seq: 1 });
      await refusesOption(session, "ids", () => session.append([], { ids: ["x"] } as never));
    },
  },
  {
    title: "one bad message and nothing of it is written",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("before"));
      const bad = { role: "user", content: Number.NaN } as never;
      await rejectsWith("MESSAGE_INVALID", session.append([say("a"), bad, say("c")]));
      await rejectsWith("MESSAGE_INVALID", session.append([say("a"), say("b"), undefined as never]));
      assert.deepEqual(await log(session), ["before"]);
    },
  },
  {
    title: "changed after the call, is kept as it was at the call",
    run: async ({ store }) => {
      const session = store.session("s");
      const batch: Message[] = sayAll("a", "b");
      const writing = session.append(batch);
      batch.push(say("c"));
      batch[0] = say("z");
      assert.deepEqual(await writing, { seq: 2 });
      assert.deepEqual(await view(session), ["a", "b"]);
    },
  },
  {
    title: "a thousand messages at once",
    run: async ({ store }) => {
      const session = store.session("s");
      const contents = Array.from({ length: 1000 }, (_, index) => String(index));
      assert.deepEqual(await session.append(sayAll(...contents)), { seq: 1000 });
      assert.deepEqual(await view(session), contents);
      assert.deepEqual(await session.append(say("after")), { seq: 1001 });
    },
  },
  {
    title: "batches that are written at the same time do not interleave",
    run: async ({ store }) => {
      const session = store.session("s");
      const names = ["a", "b", "c", "d"];
      await Promise.all(names.map(async (name) => await session.append(sayAll(`${name}1`, `${name}2`))));
      assert.deepEqual(
        await view(session),
        names.flatMap((name) => [`${name}1`, `${name}2`]),
      );
    },
  },
];
