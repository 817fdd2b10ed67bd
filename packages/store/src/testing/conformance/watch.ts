/** The live tail: what is there, then what comes, in order, each record once. */

import assert from "node:assert/strict";
import { collect, numbered, refusesOption, say, sayAll, wordOf } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const watchCases: readonly ConformanceCase[] = [
  {
    title: "yields what is there, then what is written",
    run: async ({ store, watched }) => {
      const session = store.session("s");
      await numbered(session, 2);
      const watching = watched(session, 5);
      await session.append(say("3"));
      await session.append(sayAll("4", "5"));
      assert.deepEqual(await watching, ["1", "2", "3", "4", "5"]);
    },
  },
  {
    title: "yields every kind of record, as records() does",
    run: async ({ store, endsByItself }) => {
      const session = store.session("s");
      const records: unknown[] = [];
      await session.append(say("a"));
      await endsByItself(async (signal) => {
        for await (const record of session.watch({ signal })) {
          records.push(record);
          if (record.seq === 1) await session.note("pin", { deep: [1] });
          if (record.seq === 2) await session.compact({ summary: "s", keepFrom: 1 });
          if (record.seq === 3) await session.rewind({ to: 1 });
          if (record.seq === 4) await session.replace(sayAll("b"));
          if (record.seq === 6) await session.setTags(["t"]);
          if (record.seq === 7) break;
        }
      });
      assert.deepEqual(records, await collect(session.records()));
    },
  },
  {
    title: "from is the first seq, also one that is still to come",
    run: async ({ store, watched }) => {
      const session = store.session("s");
      await numbered(session, 3);
      assert.deepEqual(await watched(session, 2, { from: 2 }), ["2", "3"]);
      assert.deepEqual(await watched(session, 3, { from: 0 }), ["1", "2", "3"]);
      const later = watched(session, 1, { from: 6 });
      await session.append(sayAll("4", "5"));
      await session.append(say("6"));
      assert.deepEqual(await later, ["6"]);
    },
  },
  {
    title: "waits for a session that does not exist yet, and does not create it",
    run: async ({ store, watched }) => {
      const session = store.session("s");
      const watching = watched(session, 2);
      assert.equal(await session.exists(), false);
      await session.append(say("a"));
      await session.append(say("b"));
      assert.deepEqual(await watching, ["a", "b"]);
    },
  },
  {
    title: "a slow consumer misses nothing and gets nothing twice",
    run: async ({ store, endsByItself }) => {
      const session = store.session("s");
      await session.append(say("0"));
      const words: unknown[] = [];
      await endsByItself(async (signal) => {
        for await (const record of session.watch({ signal })) {
          words.push(wordOf(record));
          const written = Number(words.at(-1));
          if (written === 60) break;
          if (written % 20 === 0) await session.append(sayAll(...range(written + 1, written + 20)));
        }
      });
      assert.deepEqual(words, range(0, 60));
    },
  },
  {
    title: "any number at the same time, and each can be left",
    run: async ({ store, watched }) => {
      const session = store.session("s");
      await session.append(say("1"));
      const many = Array.from({ length: 20 }, async (_, index) => await watched(session, 1 + (index % 3)));
      await session.append(say("2"));
      await session.append(say("3"));
      const all = ["1", "2", "3"];
      assert.deepEqual(
        await Promise.all(many),
        many.map((_, index) => all.slice(0, 1 + (index % 3))),
      );
      assert.deepEqual(await session.append(say("4")), { seq: 4 });
    },
  },
  {
    title: "other sessions do not show up",
    run: async ({ store, watched }) => {
      const watching = watched(store.session("s"), 2);
      await store.session("S").append(say("other"));
      await store.session("s").append(say("a"));
      await store.session("t").append(say("other"));
      await store.session("s").append(say("b"));
      assert.deepEqual(await watching, ["a", "b"]);
    },
  },
  {
    title: "ends when the signal aborts, without an error",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      const controller = new AbortController();
      const words: unknown[] = [];
      for await (const record of session.watch({ signal: controller.signal })) {
        words.push(wordOf(record));
        controller.abort();
        await session.append(say("b"));
      }
      assert.deepEqual(words, ["a"]);
      assert.deepEqual(await collect(session.watch({ signal: controller.signal })), []);
      const waiting = new AbortController();
      const nothing = collect(store.session("nobody").watch({ signal: waiting.signal }));
      waiting.abort(new Error("the reason does not matter"));
      assert.deepEqual(await nothing, []);
    },
  },
  {
    title: "ends when the store is closed",
    run: async ({ store, endsByItself }) => {
      const session = store.session("s");
      await session.append(say("a"));
      const words: unknown[] = [];
      await endsByItself(async (signal) => {
        const never = collect(store.session("nobody").watch({ signal }));
        for await (const record of session.watch({ signal })) {
          words.push(wordOf(record));
          void store.close();
        }
        assert.deepEqual(await never, []);
      });
      assert.deepEqual(words, ["a"]);
    },
  },
  {
    title: "ends when the session is deleted",
    needs: ["archive"],
    run: async ({ store, endsByItself }) => {
      for (const forever of [false, true]) {
        const session = store.session(`s${forever}`);
        await session.append(say("a"));
        const words: unknown[] = [];
        await endsByItself(async (signal) => {
          for await (const record of session.watch({ signal })) {
            words.push(wordOf(record));
            await session.delete({ forever });
          }
        });
        assert.deepEqual(words, ["a"]);
      }
    },
  },
  {
    title: "ends when another session has taken the key, and shows nothing of that",
    needs: ["archive"],
    run: async ({ store, endsByItself }) => {
      const session = store.session("s");
      await session.append(say("a"));
      const words: unknown[] = [];
      await endsByItself(async (signal) => {
        for await (const record of session.watch({ signal })) {
          words.push(wordOf(record));
          await session.delete();
          await session.append(sayAll("new", "new", "new"));
        }
      });
      assert.deepEqual(words, ["a"]);
    },
  },
  {
    title: "goes on through archive and restore",
    needs: ["archive"],
    run: async ({ store, watched, endsByItself }) => {
      const session = store.session("s");
      await session.append(say("1"));
      const words: unknown[] = [];
      await endsByItself(async (signal) => {
        for await (const record of session.watch({ signal })) {
          words.push(wordOf(record));
          if (words.length === 1) {
            await session.archive();
            await session.restore();
            await session.append(say("2"));
          } else if (words.length === 2) {
            await session.archive();
            await session.append(say("3"));
          } else break;
        }
      });
      assert.deepEqual(words, ["1", "2", "3"]);
      await session.archive();
      assert.deepEqual(await watched(session, 3), ["1", "2", "3"]);
    },
  },
  {
    title: "yields what a fork has of its parent, and then its own",
    needs: ["fork"],
    run: async ({ store, watched }) => {
      await numbered(store.session("s"), 2);
      const watching = watched(store.session("child"), 3);
      const child = await store.session("s").fork("child");
      await store.session("s").append(say("of the parent"));
      await child.append(say("3"));
      assert.deepEqual(await watching, ["1", "2", "3"]);
    },
  },
  {
    title: "yields what another store writes",
    needs: ["manyWriters"],
    run: async ({ store, openBeside, watched }) => {
      const beside = await openBeside({});
      const watching = watched(store.session("s"), 4);
      await beside.session("s").append(say("1"));
      await beside.session("s").append(sayAll("2", "3"));
      await store.session("s").append(say("4"));
      assert.deepEqual(await watching, ["1", "2", "3", "4"]);
    },
  },
  {
    title: "is possible for a reader while another store writes",
    needs: ["manyWriters", "readOnly"],
    run: async ({ store, openBeside, watched }) => {
      const reader = await openBeside({ readOnly: true });
      const watching = watched(reader.session("s"), 3);
      await numbered(store.session("s"), 3);
      assert.deepEqual(await watching, ["1", "2", "3"]);
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 1);
      await refusesOption(session, "last", () => collect(session.watch({ last: 3 } as never)));
      await refusesOption(session, "from", () => collect(session.watch({ from: -1 })));
      await refusesOption(session, "signal", () => collect(session.watch({ signal: "now" as never })));
    },
  },
];

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}
