/** Writes of one session happen in the order of the calls, whatever they are; reads see whole writes. */

import assert from "node:assert/strict";
import type { Written } from "../../contract/types.ts";
import { collect, log, rejectsWith, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const concurrentCases: readonly ConformanceCase[] = [
  {
    title: "appends that do not wait for each other are kept in the order of the calls",
    run: async ({ store }) => {
      const session = store.session("s");
      const contents = Array.from({ length: 100 }, (_, index) => String(index + 1));
      const seqs = await Promise.all(contents.map(async (content) => await session.append(say(content))));
      assert.deepEqual(await view(session), contents);
      assert.deepEqual(
        seqs.map(({ seq }) => seq),
        contents.map(Number),
      );
    },
  },
  {
    title: "through different handles too",
    run: async ({ store }) => {
      const contents = Array.from({ length: 50 }, (_, index) => String(index));
      await Promise.all(contents.map(async (content) => await store.session("s").append(say(content))));
      assert.deepEqual(await view(store.session("s")), contents);
    },
  },
  {
    title: "different kinds of writes keep the order of the calls",
    run: async ({ store }) => {
      const session = store.session("s");
      const writes: Promise<Written>[] = [
        session.append(sayAll("a", "b", "c")),
        session.truncate({ keepLast: 2 }),
        session.append(say("d")),
        session.rewind({ messages: 1 }),
        session.setSummary("s"),
        session.append(say("e")),
        session.compact({ summary: "c", keepFrom: 3 }),
        session.note("n", 1),
        session.append(sayAll("f", "g")),
        session.setTitle("t"),
      ];
      const seqs = (await Promise.all(writes)).map(({ seq }) => seq);
      assert.deepEqual(seqs, [3, 4, 5, 6, 7, 8, 9, 10, 12, 13]);
      assert.deepEqual(await log(session), [
        ...["a", "b", "c", "truncate", "d", "rewind", "summary", "e", "compact", "note", "f", "g", "meta"],
      ]);
      assert.deepEqual(await view(session), ["c", "e", "f", "g"]);
    },
  },
  {
    title: "a refused write in the middle disturbs no other",
    run: async ({ store }) => {
      const session = store.session("s");
      const first = session.append(say("a"));
      const refused = rejectsWith("SEQ_CONFLICT", session.append(say("no"), { expectedSeq: 99 }));
      const cut = rejectsWith("OPTION_INVALID", session.truncate({ keepFrom: 99 }));
      const last = session.append(say("b"));
      await Promise.all([refused, cut]);
      assert.deepEqual([await first, await last], [{ seq: 1 }, { seq: 2 }]);
      assert.deepEqual(await log(session), ["a", "b"]);
    },
  },
  {
    title: "a read sees a prefix of the writes, batches whole",
    run: async ({ store }) => {
      const session = store.session("s");
      const writing = Promise.all(
        Array.from(
          { length: 30 },
          async (_, index) => await session.append(sayAll(`${index}a`, `${index}b`)),
        ),
      );
      const expected = Array.from({ length: 30 }, (_, index) => [`${index}a`, `${index}b`]).flat();
      const progress = { finished: false };
      const done = writing.then(() => (progress.finished = true));
      // Any number of reads may fit in, none is also possible; each must see whole batches.
      while (!progress.finished) {
        const seen = await view(session);
        assert.equal(seen.length % 2, 0);
        assert.deepEqual(seen, expected.slice(0, seen.length));
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      await done;
      assert.deepEqual(await view(session), expected);
    },
  },
  {
    title: "what was answered is seen by every read after it",
    run: async ({ store }) => {
      const session = store.session("s");
      for (let seq = 1; seq <= 20; seq++) {
        await session.append(say(String(seq)));
        const [info, messages, records] = await Promise.all([
          session.state(),
          session.messages(),
          collect(session.records()),
        ]);
        assert.deepEqual([info?.seq, messages.length, records.length], [seq, seq, seq]);
      }
    },
  },
];
