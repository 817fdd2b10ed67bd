/** Taking back a truncate or a compact, and nothing else. */

import assert from "node:assert/strict";
import { log, numbered, refusesOption, rejectsWith, say, seqOf, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const undoCutCases: readonly ConformanceCase[] = [
  {
    title: "what a compact hid is seen again, with the summary before it and all that came since",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setSummary("old");
      await numbered(session, 4);
      const { seq } = await session.compact({ summary: "new", keepFrom: 4 });
      await session.append(say("later"));
      assert.deepEqual(await session.undoCut(seq), { seq: 8 });
      assert.deepEqual(await view(session), ["1", "2", "3", "4", "later"]);
      const info = await session.state();
      assert.deepEqual([info?.count, info?.summary], [5, "old"]);
      await session.append(say("last"));
      assert.deepEqual(await view(session), ["1", "2", "3", "4", "later", "last"]);
      assert.deepEqual(await log(session), [
        ...["summary", "1", "2", "3", "4", "compact", "later", "rewind", "last"],
      ]);
    },
  },
  {
    title: "of several cuts the newest first, each once",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      const first = await session.truncate({ keepFrom: 3 });
      await session.setSummary("kept as it is");
      const second = await session.compact({ summary: "x", keepFrom: 5 });
      await refusesOption(session, "seq", () => session.undoCut(first.seq));
      await session.undoCut(second.seq);
      assert.deepEqual(await view(session), ["3", "4", "5"]);
      await refusesOption(session, "seq", () => session.undoCut(second.seq));
      await session.undoCut(first.seq);
      assert.deepEqual(await view(session), ["1", "2", "3", "4", "5"]);
      assert.equal((await session.state())?.summary, "kept as it is");
    },
  },
  {
    title: "what was rewound or replaced stays so",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.rewind({ messages: 1 });
      await session.append(say("5"));
      const { seq } = await session.truncate({ keepLast: 1 });
      await session.undoCut(seq);
      assert.deepEqual(await view(session), ["1", "2", "3", "5"]);
      const cut = await session.truncate({ keepLast: 1 });
      await session.replace([say("new")]);
      await refusesOption(session, "seq", () => session.undoCut(cut.seq));
      assert.deepEqual(await view(session), ["new"]);
    },
  },
  {
    title: "can itself be rewound",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      const { seq } = await session.compact({ summary: "x", keepFrom: 3 });
      await session.undoCut(seq);
      await session.rewind({ to: seq });
      assert.deepEqual(await view(session), ["3", "4"]);
      assert.equal((await session.state())?.summary, "x");
      await session.undoCut(seq);
      assert.deepEqual(await view(session), ["1", "2", "3", "4"]);
    },
  },
  {
    title:
      "one that was taken back already is not the one that decides, though a later one cuts at the same place",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 9);
      const first = await session.truncate({ keepFrom: 3 });
      const second = await session.truncate({ keepFrom: 6 });
      await session.undoCut(second.seq);
      await session.undoCut(first.seq);
      const third = await session.truncate({ keepFrom: 6 });
      await refusesOption(session, "seq", () => session.undoCut(second.seq));
      await session.undoCut(third.seq);
      assert.deepEqual(await view(session), ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
      await refusesOption(session, "seq", () => session.undoCut(third.seq));
    },
  },
  {
    title: "no cut, no record, a wrong expectedSeq: nothing is written",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      const { seq } = await session.truncate({ keepLast: 1 });
      await refusesOption(session, "seq", () => session.undoCut(2));
      await refusesOption(session, "seq", () => session.undoCut(9));
      await refusesOption(session, "seq", () => session.undoCut(0));
      await refusesOption(session, "seq", () => session.undoCut("4" as never));
      await rejectsWith("SEQ_CONFLICT", session.undoCut(seq, { expectedSeq: 1 }));
      assert.equal(await seqOf(session), 4);
    },
  },
];
