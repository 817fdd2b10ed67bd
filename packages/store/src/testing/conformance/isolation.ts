/** What happens to one session happens to no other. */

import assert from "node:assert/strict";
import { collect, numbered, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const isolationCases: readonly ConformanceCase[] = [
  {
    title: "every kind of write leaves the other sessions as they were",
    run: async ({ store }) => {
      const other = store.session("other");
      await other.append(sayAll("a", "b"));
      await other.setTitle("mine");
      const before = [await other.state(), await collect(other.records())];
      const session = store.session("s");
      await numbered(session, 3);
      await session.setSummary("s");
      await session.setTitle("t");
      await session.setTags(["t"]);
      await session.note("n", 1);
      await session.truncate({ keepLast: 1 });
      await session.compact({ summary: "c", keepFrom: 3 });
      await session.rewind({ to: 1 });
      await session.replace([]);
      assert.deepEqual([await other.state(), await collect(other.records())], before);
    },
  },
  {
    title: "seqs of each session count on their own",
    run: async ({ store }) => {
      for (let round = 1; round <= 5; round++) {
        for (const key of ["a", "b", "c"]) {
          assert.deepEqual(await store.session(key).append(say(`${key}${round}`)), { seq: round });
        }
      }
      assert.deepEqual(await view(store.session("b")), ["b1", "b2", "b3", "b4", "b5"]);
    },
  },
  {
    title: "many sessions written at the same time keep what is theirs",
    run: async ({ store }) => {
      const keys = Array.from({ length: 40 }, (_, index) => `session ${index}`);
      const contents = (key: string): string[] => Array.from({ length: 5 }, (_, round) => `${key} ${round}`);
      await Promise.all(
        keys.flatMap((key) => contents(key).map(async (text) => await store.session(key).append(say(text)))),
      );
      for (const key of keys) assert.deepEqual(await view(store.session(key)), contents(key));
    },
  },
];
