/** Verify reads everything and reports; repair mends what it reports. Of a store in order there is little to say. */

import assert from "node:assert/strict";
import type { Store } from "../../contract/types.ts";
import { collect, numbered, rejectsWith, say } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function contents(store: Store): Promise<unknown> {
  const infos = await collect(store.list({ status: "any", order: "key" }));
  const records = infos.map(async ({ key }) => await collect(store.session(key).records()));
  return { infos, records: await Promise.all(records) };
}

export const verifyCases: readonly ConformanceCase[] = [
  {
    title: "counts sessions and records, finds no damage and changes nothing; nor does repair",
    run: async ({ store }) => {
      assert.deepEqual(await store.verify(), { sessions: 0, records: 0, damage: [] });
      await numbered(store.session("a"), 3);
      await store.session("a").truncate({ keepLast: 1 });
      await numbered(store.session("b"), 2);
      const before = await contents(store);
      const report = { sessions: 2, records: 6, damage: [] };
      assert.deepEqual(await store.verify(), report);
      assert.deepEqual(await store.repair(), report);
      assert.deepEqual(await contents(store), before);
      assert.deepEqual(await store.session("a").append(say("4")), { seq: 5 });
    },
  },
  {
    title: "keys selects sessions",
    run: async ({ store }) => {
      await numbered(store.session("a"), 3);
      await numbered(store.session("b"), 2);
      assert.deepEqual(await store.verify({ keys: ["b"] }), { sessions: 1, records: 2, damage: [] });
      assert.deepEqual(await store.repair({ keys: ["a", "a"] }), { sessions: 1, records: 3, damage: [] });
      assert.deepEqual(await store.verify({ keys: ["nobody"] }), { sessions: 0, records: 0, damage: [] });
      assert.deepEqual(await store.verify({ keys: [] }), { sessions: 0, records: 0, damage: [] });
      assert.equal(await store.session("nobody").exists(), false);
    },
  },
  {
    title: "sessions that are put away count too",
    needs: ["archive"],
    run: async ({ store }) => {
      await numbered(store.session("a"), 3);
      await store.session("a").archive();
      await numbered(store.session("b"), 2);
      await store.session("b").delete();
      await numbered(store.session("b"), 1);
      assert.deepEqual(await store.verify(), { sessions: 3, records: 6, damage: [] });
      assert.deepEqual(await store.verify({ keys: ["b"] }), { sessions: 2, records: 3, damage: [] });
    },
  },
  {
    title: "tells how far it is",
    run: async ({ store }) => {
      for (const key of ["a", "b", "c"]) await numbered(store.session(key), 1);
      for (const run of [store.verify.bind(store), store.repair.bind(store)]) {
        const told: (readonly [number, number])[] = [];
        await run({ onProgress: (done, total) => void told.push([done, total]) });
        assert.ok(told.length > 0, "nothing was told");
        for (const [done, total] of told) assert.ok(done <= total, `${done} of ${total}`);
        assert.deepEqual(told.at(-1)?.[0], told.at(-1)?.[1]);
      }
    },
  },
  {
    title: "is possible while others write",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      const writes = Promise.all(Array.from({ length: 20 }, async () => await session.append(say("more"))));
      const { sessions, records, damage } = await store.verify();
      assert.equal(sessions, 1);
      assert.ok(records >= 5 && records <= 25, String(records));
      assert.deepEqual(damage, []);
      await writes;
      assert.equal((await store.verify()).records, 25);
    },
  },
  {
    title: "a store for reading only can be verified, not repaired",
    needs: ["readOnly"],
    run: async ({ store, reopen }) => {
      await numbered(store.session("s"), 3);
      const reader = await reopen({ readOnly: true });
      assert.deepEqual(await reader.verify(), { sessions: 1, records: 3, damage: [] });
      await rejectsWith("STORE_READ_ONLY", reader.repair());
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      for (const run of [store.verify.bind(store), store.repair.bind(store)]) {
        for (const [name, options] of Object.entries({
          keys: { keys: "s" },
          onProgress: { onProgress: 1 },
          deep: { deep: true },
        })) {
          const error = await rejectsWith("OPTION_INVALID", run(options as never));
          assert.ok(error.message.includes(name), error.message);
        }
        await rejectsWith("KEY_INVALID", run({ keys: [""] }));
      }
    },
  },
];
