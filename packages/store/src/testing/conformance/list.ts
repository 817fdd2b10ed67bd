/** Which sessions there are: order, pages, prefixes. */

import assert from "node:assert/strict";
import type { ListOptions, Store } from "../../contract/types.ts";
import { collect, rejectsWith, say, untilTheClockMoves } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function keys(store: Store, options?: ListOptions): Promise<string[]> {
  return (await collect(store.list(options))).map(({ key }) => key);
}

/** In this order, at times that can be told apart. */
async function begin(store: Store, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await store.session(name).append(say(name));
    await untilTheClockMoves(store.session(name));
  }
}

export const listCases: readonly ConformanceCase[] = [
  {
    title: "an empty store lists nothing, and handles without writes are no sessions",
    run: async ({ store }) => {
      assert.deepEqual(await keys(store), []);
      await store.session("never").messages();
      await store.session("never").append([]);
      assert.deepEqual(await keys(store), []);
    },
  },
  {
    title: "each session is listed once, as it describes itself",
    run: async ({ store }) => {
      await begin(store, "a", "b");
      await store.session("a").setTags(["tag"]);
      const infos = await collect(store.list({ order: "key" }));
      assert.deepEqual(infos, [await store.session("a").state(), await store.session("b").state()]);
    },
  },
  {
    title: "newest activity first, unless asked otherwise",
    run: async ({ store }) => {
      await begin(store, "b", "c", "a");
      assert.deepEqual(await keys(store), ["a", "c", "b"]);
      await untilTheClockMoves(store.session("a"));
      await store.session("b").append(say("again"));
      await untilTheClockMoves(store.session("b"));
      assert.deepEqual(await keys(store), ["b", "a", "c"]);
      assert.deepEqual(await keys(store, { order: "updated" }), ["b", "a", "c"]);
      assert.deepEqual(await keys(store, { order: "created" }), ["a", "c", "b"]);
      assert.deepEqual(await keys(store, { order: "key" }), ["a", "b", "c"]);
    },
  },
  {
    title: "prefix and limit",
    run: async ({ store }) => {
      for (const key of ["chat:1", "chat:2", "chat:3", "mail:1"]) await store.session(key).append(say("x"));
      assert.deepEqual(await keys(store, { order: "key", prefix: "chat:" }), ["chat:1", "chat:2", "chat:3"]);
      assert.deepEqual(await keys(store, { order: "key", limit: 2 }), ["chat:1", "chat:2"]);
      assert.deepEqual(await keys(store, { order: "key", prefix: "mail:", limit: 5 }), ["mail:1"]);
      assert.deepEqual(await keys(store, { prefix: "none" }), []);
      assert.deepEqual(await keys(store, { limit: 0 }), []);
    },
  },
  {
    title: "pages by the key of the last one seen give every session once",
    run: async ({ store }) => {
      await begin(store, "d", "a", "c", "e", "b");
      for (const order of ["key", "updated", "created"] as const) {
        const all = await keys(store, { order });
        const paged: string[] = [];
        for (;;) {
          const after = paged.at(-1);
          const page = await keys(store, { order, limit: 2, ...(after === undefined ? {} : { after }) });
          paged.push(...page);
          if (page.length < 2) break;
        }
        assert.deepEqual(paged, all);
      }
    },
  },
  {
    title: "sessions are active; none is archived or in the trash",
    run: async ({ store }) => {
      await store.session("a").append(say("x"));
      assert.deepEqual(await keys(store, { status: "active" }), ["a"]);
      assert.deepEqual(await keys(store, { status: "any" }), ["a"]);
      assert.deepEqual(await keys(store, { status: "archived" }), []);
      assert.deepEqual(await keys(store, { status: "trashed" }), []);
    },
  },
  {
    title: "can be left early",
    run: async ({ store }) => {
      for (let number = 0; number < 10; number++) await store.session(`s${number}`).append(say("x"));
      for await (const info of store.list({ order: "key" })) {
        assert.equal(info.key, "s0");
        break;
      }
      assert.equal((await keys(store)).length, 10);
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      const wrong: readonly (readonly [string, unknown])[] = [
        ["offset", 3],
        ["limit", -1],
        ["status", "deleted"],
        ["order", "random"],
        ["prefix", 5],
        ["after", 5],
      ];
      for (const [name, value] of wrong) {
        const error = await rejectsWith("OPTION_INVALID", keys(store, { [name]: value }));
        assert.ok(error.message.includes(name));
      }
    },
  },
];
