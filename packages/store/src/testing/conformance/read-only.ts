/** Opened for reading only, a store reads everything and changes nothing. */

import assert from "node:assert/strict";
import { collect, keysOf, rejectsWith, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const readOnlyCases: readonly ConformanceCase[] = [
  {
    title: "reads everything that was written",
    needs: ["readOnly"],
    run: async ({ store, reopen }) => {
      await store.session("a").append(sayAll("1", "2", "3"));
      await store.session("a").truncate({ keepLast: 2 });
      await store.session("b").setTitle("title");
      const before = [await store.session("a").state(), await collect(store.session("a").records())];
      const reader = await reopen({ readOnly: true });
      assert.deepEqual(await keysOf(reader), ["a", "b"]);
      assert.deepEqual(await view(reader.session("a")), ["2", "3"]);
      assert.deepEqual(
        [await reader.session("a").state(), await collect(reader.session("a").records())],
        before,
      );
      assert.equal((await reader.search("1")).length, 1);
      assert.equal(await reader.session("nobody").state(), undefined);
    },
  },
  {
    title: "every write is STORE_READ_ONLY and changes nothing",
    needs: ["readOnly"],
    run: async ({ store, reopen }) => {
      await store.session("s").append(sayAll("1", "2"), { id: "x" });
      const reader = await reopen({ readOnly: true });
      const session = reader.session("s");
      const writes: readonly (() => Promise<unknown>)[] = [
        () => session.append(say("3")),
        () => session.append(sayAll("3", "4")),
        () => session.setSummary("s"),
        () => session.setTitle("t"),
        () => session.setTags(["t"]),
        () => session.note("n", 1),
        () => session.truncate({ keepLast: 1 }),
        () => session.rewind({ messages: 1 }),
        () => session.compact({ summary: "s", keepFrom: 1 }),
        () => session.replace([]),
        () => reader.session("new").append(say("1")),
      ];
      for (const write of writes) await rejectsWith("STORE_READ_ONLY", write());
      assert.deepEqual(await view(session), ["1", "2"]);
      const writer = await reopen();
      assert.deepEqual(await keysOf(writer), ["s"]);
      assert.deepEqual(await writer.session("s").append(say("3")), { seq: 3 });
    },
  },
  {
    title: "is possible while another store writes, and sees a prefix of it",
    needs: ["readOnly"],
    run: async ({ store, openBeside, reopen }) => {
      const contents = Array.from({ length: 20 }, (_, index) => String(index));
      for (const content of contents) await store.session("s").append(say(content));
      const reader = await openBeside({ readOnly: true });
      const seen = await view(reader.session("s"));
      assert.deepEqual(seen, contents.slice(0, seen.length));
      // The writer is not disturbed by being read.
      assert.deepEqual(await store.session("s").append(say("more")), { seq: 21 });
      assert.deepEqual(await view((await reopen({ readOnly: true })).session("s")), [...contents, "more"]);
    },
  },
  {
    title: "cannot be asked of a backend without the capability",
    lacks: "readOnly",
    run: async ({ openBeside }) => {
      const error = await rejectsWith("OPTION_INVALID", openBeside({ readOnly: true }));
      assert.match(error.message, /readOnly/);
    },
  },
];
