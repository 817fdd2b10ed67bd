/** Hides the beginning from the view. Never widens it, never loses anything. */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { collect, log, numbered, refusesOption, rejectsWith, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function lastKeepFrom(session: Session): Promise<number | undefined> {
  const [record] = await collect(session.records({ last: 1 }));
  return record?.op === "truncate" ? record.keepFrom : undefined;
}

export const truncateCases: readonly ConformanceCase[] = [
  {
    title: "keepLast keeps that many live messages",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      assert.deepEqual(await session.truncate({ keepLast: 2 }), { seq: 6 });
      assert.deepEqual(await view(session), ["4", "5"]);
      assert.deepEqual(await log(session), ["1", "2", "3", "4", "5", "truncate"]);
    },
  },
  {
    title: "keepFrom is the first seq kept",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      assert.deepEqual(await session.truncate({ keepFrom: 3 }), { seq: 6 });
      assert.deepEqual(await view(session), ["3", "4", "5"]);
    },
  },
  {
    title: "keepLast counts messages, not records, and only live ones",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3); // 1 to 3
      await session.note("pin", 1); // 4
      await session.append(sayAll("5", "6"));
      await session.rewind({ messages: 1 }); // 7
      await session.setTitle("t"); // 8
      await session.append(say("9"));
      await session.truncate({ keepLast: 3 });
      assert.deepEqual(await view(session), ["3", "5", "9"]);
    },
  },
  {
    title: "the record carries the seq that keepLast was resolved to",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.note("pin", 1);
      await session.truncate({ keepLast: 2 });
      assert.equal(await lastKeepFrom(session), 2);
    },
  },
  {
    title: "keepLast 0 hides everything, and what comes later is seen",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.truncate({ keepLast: 0 });
      assert.deepEqual(await view(session), []);
      await session.append(say("new"));
      assert.deepEqual(await view(session), ["new"]);
    },
  },
  {
    title: "keepLast beyond the number of messages hides nothing",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      assert.deepEqual(await session.truncate({ keepLast: 99 }), { seq: 4 });
      assert.deepEqual(await session.truncate({ keepLast: 3 }), { seq: 5 });
      assert.deepEqual(await view(session), ["1", "2", "3"]);
    },
  },
  {
    title: "never widens the view",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      await session.truncate({ keepFrom: 4 });
      await session.truncate({ keepFrom: 1 });
      assert.deepEqual(await view(session), ["4", "5"]);
      assert.equal(await lastKeepFrom(session), 4);
      await session.truncate({ keepLast: 99 });
      assert.deepEqual(await view(session), ["4", "5"]);
      assert.equal((await session.state())?.count, 2);
    },
  },
  {
    title: "keepFrom is possible from 1 to one behind the end, and nowhere else",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      for (const keepFrom of [0, 5, 99]) {
        await refusesOption(session, "keepFrom", () => session.truncate({ keepFrom }));
      }
      await session.truncate({ keepFrom: 1 });
      assert.deepEqual(await view(session), ["1", "2", "3"]);
      await session.truncate({ keepFrom: 5 });
      assert.deepEqual(await view(session), []);
    },
  },
  {
    title: "exactly one of keepLast and keepFrom, and nothing else",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await refusesOption(session, "keepLast", () => session.truncate({} as never));
      await refusesOption(session, "keepLast", () => session.truncate({ keepLast: 1, keepFrom: 2 }));
      await refusesOption(session, "keepLast", () => session.truncate(undefined as never));
      await refusesOption(session, "keep", () => session.truncate({ keep: 1 } as never));
      await refusesOption(session, "id", () => session.truncate({ keepLast: 1 }, { id: "x" } as never));
      for (const value of [-1, 0.5, Number.NaN, "1", null] as never[]) {
        await refusesOption(session, "keepLast", () => session.truncate({ keepLast: value }));
        await refusesOption(session, "keepFrom", () => session.truncate({ keepFrom: value }));
      }
      assert.deepEqual(await log(session), ["1", "2", "3"]);
    },
  },
  {
    title: "one that is undefined counts as not given",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.truncate({ keepLast: undefined as never, keepFrom: 3 });
      assert.deepEqual(await view(session), ["3"]);
    },
  },
  {
    title: "is resolved where it is written: messages appended meanwhile are not cut",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await Promise.all([
        session.append(say("4")),
        session.truncate({ keepLast: 2 }),
        session.append(say("6")),
      ]);
      assert.deepEqual(await view(session), ["3", "4", "6"]);
    },
  },
  {
    title: "leaves summary, title, tags and notes as they are",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setSummary("summary");
      await session.setTitle("title");
      await session.setTags(["tag"]);
      await session.note("pin", 1);
      await session.append(sayAll("a", "b"));
      await session.truncate({ keepLast: 0 });
      const info = await session.state();
      assert.deepEqual([info?.summary, info?.title, info?.tags], ["summary", "title", ["tag"]]);
      assert.deepEqual(await log(session), ["summary", "meta", "meta", "note", "a", "b", "truncate"]);
    },
  },
  {
    title: "can be done again and again",
    run: async ({ store }) => {
      const session = store.session("s");
      for (let round = 1; round <= 5; round++) {
        await session.append(sayAll(`a${round}`, `b${round}`));
        await session.truncate({ keepLast: 1 });
        assert.deepEqual(await view(session), [`b${round}`]);
      }
      await rejectsWith("OPTION_INVALID", session.truncate({ keepFrom: 17 }));
    },
  },
];
