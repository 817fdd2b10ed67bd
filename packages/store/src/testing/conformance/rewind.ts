/** Takes back the tail of the view. What it cuts stays in the log; what else it undoes is in rewind-undoes.ts. */

import assert from "node:assert/strict";
import {
  collect,
  log,
  numbered,
  refusesOption,
  rejectsWith,
  say,
  sayAll,
  seqOf,
  view,
} from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const rewindCases: readonly ConformanceCase[] = [
  {
    title: "messages takes back that many live messages",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      assert.deepEqual(await session.rewind({ messages: 1 }), { seq: 5 });
      assert.deepEqual(await view(session), ["1", "2", "3"]);
      assert.deepEqual(await session.rewind({ messages: 2 }), { seq: 6 });
      assert.deepEqual(await view(session), ["1"]);
      assert.deepEqual(await log(session), ["1", "2", "3", "4", "rewind", "rewind"]);
    },
  },
  {
    title: "to is the last seq that is kept",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      assert.deepEqual(await session.rewind({ to: 2 }), { seq: 5 });
      assert.deepEqual(await view(session), ["1", "2"]);
      const [record] = await collect(session.records({ last: 1 }));
      assert.equal(record?.op === "rewind" ? record.to : undefined, 2);
    },
  },
  {
    title: "messages counts messages, not records, and the record carries the seq",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.note("pin", 1);
      await session.setTitle("t");
      await session.rewind({ messages: 2 });
      assert.deepEqual(await view(session), ["1"]);
      const [record] = await collect(session.records({ last: 1 }));
      assert.equal(record?.op === "rewind" ? record.to : undefined, 1);
    },
  },
  {
    title: "messages 0 and the present seq change nothing",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.rewind({ messages: 0 });
      await session.rewind({ to: 4 });
      assert.deepEqual(await view(session), ["1", "2", "3"]);
      assert.equal(await seqOf(session), 5);
    },
  },
  {
    title: "of a session that does not exist writes nothing and does not create it",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.rewind({ messages: 1 }), { seq: 0 });
      assert.deepEqual(await session.rewind({ to: 0 }), { seq: 0 });
      assert.deepEqual(await session.rewind({ messages: 1 }, { expectedSeq: 0 }), { seq: 0 });
      await rejectsWith("OPTION_INVALID", session.rewind({ to: 1 }));
      assert.equal(await session.exists(), false);
      assert.deepEqual(await collect(store.list({ status: "any" })), []);
      assert.deepEqual(await session.append(say("first")), { seq: 1 });
    },
  },
  {
    title: "messages beyond their number takes back all that are live",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.rewind({ messages: 99 });
      assert.deepEqual(await view(session), []);
    },
  },
  {
    title: "to 0 gives the empty view",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.setSummary("gone");
      assert.deepEqual(await session.rewind({ to: 0 }), { seq: 5 });
      assert.deepEqual(await view(session), []);
      assert.equal((await session.state())?.summary, "");
      assert.equal(await session.exists(), true);
    },
  },
  {
    title: "then append: seqs go on and the new message follows what was kept",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.rewind({ to: 1 });
      assert.deepEqual(await session.append(say("other")), { seq: 5 });
      assert.deepEqual(await view(session), ["1", "other"]);
      await session.rewind({ to: 0 });
      assert.deepEqual(await session.append(say("new")), { seq: 7 });
      assert.deepEqual(await view(session), ["new"]);
    },
  },
  {
    title: "into the middle of a batch keeps its beginning",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("1", "2", "3"));
      await session.rewind({ messages: 1 });
      assert.deepEqual(await view(session), ["1", "2"]);
      await session.rewind({ to: 1 });
      assert.deepEqual(await view(session), ["1"]);
    },
  },
  {
    title: "retrying a turn many times leaves only the last try in the view",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("question"));
      for (let attempt = 1; attempt <= 20; attempt++) {
        await session.append(say(`answer ${attempt}`));
        if (attempt < 20) await session.rewind({ messages: 1 });
      }
      assert.deepEqual(await view(session), ["question", "answer 20"]);
      assert.equal((await log(session)).length, 40);
    },
  },
  {
    title: "is resolved where it is written: messages appended meanwhile count",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      await Promise.all([
        session.append(say("3")),
        session.rewind({ messages: 2 }),
        session.append(say("5")),
      ]);
      assert.deepEqual(await view(session), ["1", "5"]);
    },
  },
  {
    title: "to is possible from 0 to the present seq; exactly one of messages and to",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await refusesOption(session, "to", () => session.rewind({ to: 4 }));
      await refusesOption(session, "messages", () => session.rewind({} as never));
      await refusesOption(session, "messages", () => session.rewind({ messages: 1, to: 1 }));
      await refusesOption(session, "steps", () => session.rewind({ steps: 1 } as never));
      await refusesOption(session, "id", () => session.rewind({ to: 1 }, { id: "x" } as never));
      for (const value of [-1, 0.5, Number.NaN, "1", null] as never[]) {
        await refusesOption(session, "messages", () => session.rewind({ messages: value }));
        await refusesOption(session, "to", () => session.rewind({ to: value }));
      }
      assert.deepEqual(await log(session), ["1", "2", "3"]);
    },
  },
  {
    title: "one that is undefined counts as not given",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.rewind({ to: undefined as never, messages: 1 });
      assert.deepEqual(await view(session), ["1", "2"]);
    },
  },
];
