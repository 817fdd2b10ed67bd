/** Summary and cut in one atomic record. */

import assert from "node:assert/strict";
import { collect, log, numbered, refusesOption, rejectsWith, say, seqOf, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const compactCases: readonly ConformanceCase[] = [
  {
    title: "sets the summary and cuts, in one record",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      assert.deepEqual(await session.compact({ summary: "one to three", keepFrom: 4 }), { seq: 6 });
      assert.deepEqual(await view(session), ["4", "5"]);
      const info = await session.state();
      assert.deepEqual([info?.seq, info?.count, info?.summary], [6, 2, "one to three"]);
      const [record] = await collect(session.records({ last: 1 }));
      assert.ok(record?.op === "compact");
      assert.deepEqual([record.summary, record.keepFrom], ["one to three", 4]);
    },
  },
  {
    title: "what it cuts stays readable and what comes later is seen",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.compact({ summary: "all", keepFrom: 4 });
      await session.append(say("5"));
      assert.deepEqual(await view(session), ["5"]);
      assert.deepEqual(await log(session), ["1", "2", "3", "compact", "5"]);
    },
  },
  {
    title: "never widens the view, but sets the summary all the same",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      await session.truncate({ keepFrom: 4 });
      await session.compact({ summary: "new", keepFrom: 2 });
      assert.deepEqual(await view(session), ["4", "5"]);
      assert.equal((await session.state())?.summary, "new");
      const [record] = await collect(session.records({ last: 1 }));
      assert.equal(record?.op === "compact" ? record.keepFrom : undefined, 4);
    },
  },
  {
    title: "does not bring back what a rewind has cut",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.rewind({ to: 2 }); // seq 5
      await session.append(say("6"));
      await session.compact({ summary: "s", keepFrom: 2 });
      assert.deepEqual(await view(session), ["2", "6"]);
      assert.equal((await session.state())?.count, 2);
    },
  },
  {
    title: "keepFrom is possible from 1 to one behind the end, and nowhere else",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      for (const keepFrom of [0, 5, 99]) {
        await refusesOption(session, "keepFrom", () => session.compact({ summary: "s", keepFrom }));
      }
      await session.compact({ summary: "a", keepFrom: 1 });
      assert.deepEqual(await view(session), ["1", "2", "3"]);
      await session.compact({ summary: "b", keepFrom: 5 });
      assert.deepEqual(await view(session), []);
    },
  },
  {
    title: "needs both summary and keepFrom, and knows nothing else",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      await refusesOption(session, "keepFrom", () => session.compact({ summary: "s" } as never));
      await refusesOption(session, "summary", () => session.compact({ keepFrom: 1 } as never));
      await refusesOption(session, "summary", () => session.compact({ summary: 5 as never, keepFrom: 1 }));
      await refusesOption(session, "keepLast", () =>
        session.compact({ summary: "s", keepFrom: 1, keepLast: 1 } as never),
      );
      for (const value of [-1, 0.5, Number.NaN, "1", null] as never[]) {
        await refusesOption(session, "keepFrom", () => session.compact({ summary: "s", keepFrom: value }));
      }
      for (const cut of [undefined, null, "s", 5] as never[]) {
        await rejectsWith("OPTION_INVALID", session.compact(cut));
      }
      assert.equal(await seqOf(session), 2);
    },
  },
];
