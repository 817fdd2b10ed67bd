/** A second session that begins with the records of the first. From there on they know nothing of each other. */

import assert from "node:assert/strict";
import {
  collect,
  idOf,
  idsIn,
  log,
  numbered,
  rejectsWith,
  say,
  sayAll,
  seqOf,
  view,
} from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const forkCases: readonly ConformanceCase[] = [
  {
    title: "has every record of its parent, with seq and time, and an id of its own",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await numbered(parent, 3);
      await parent.note("pin", { deep: [1, null] });
      await parent.setTitle("title");
      await parent.setTags(["a", "b"]);
      await parent.compact({ summary: "summary", keepFrom: 2 });
      const before = await collect(parent.records());
      const child = await parent.fork("child");
      assert.equal(child.key, "child");
      assert.deepEqual(await collect(child.records()), before);
      assert.deepEqual(await child.messages(), await parent.messages());
      const [of, from] = [await child.state(), await parent.state()];
      assert.ok(of !== undefined && from !== undefined);
      assert.notEqual(of.id, from.id);
      const { id, created, bytes } = from;
      assert.deepEqual({ ...of, id, created, bytes }, { ...from, key: "child" });
      assert.deepEqual(await collect(parent.records()), before);
    },
  },
  {
    title: "seqs go on, and the two grow apart",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await numbered(parent, 3);
      const child = await parent.fork("child");
      assert.deepEqual(await child.append(say("child")), { seq: 4 });
      assert.deepEqual(await parent.append(say("parent")), { seq: 4 });
      assert.deepEqual(await parent.truncate({ keepLast: 1 }), { seq: 5 });
      assert.deepEqual(await child.append(say("more")), { seq: 5 });
      assert.deepEqual(await view(child), ["1", "2", "3", "child", "more"]);
      assert.deepEqual(await view(parent), ["parent"]);
      assert.deepEqual(await log(parent), ["1", "2", "3", "parent", "truncate"]);
    },
  },
  {
    title: "at is the last record it has, and the view is the one of then",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await numbered(parent, 4);
      await parent.setSummary("later");
      await parent.truncate({ keepLast: 1 });
      const child = await parent.fork("child", { at: 3 });
      assert.deepEqual(await log(child), ["1", "2", "3"]);
      assert.deepEqual(await view(child), ["1", "2", "3"]);
      assert.equal((await child.state())?.summary, "");
      assert.deepEqual(await child.append(say("other")), { seq: 4 });
      assert.deepEqual(await view(parent), ["4"]);
      assert.deepEqual(await log(await parent.fork("first", { at: 1 })), ["1"]);
      assert.deepEqual(await log(await parent.fork("whole", { at: 6 })), await log(parent));
    },
  },
  {
    title: "the records of its parent are its own: it can be cut and rewound in them",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await numbered(parent, 4);
      await parent.truncate({ keepLast: 1 });
      const child = await parent.fork("child");
      await child.rewind({ to: 2 });
      assert.deepEqual(await view(child), ["1", "2"]);
      await child.append(say("new"));
      await child.truncate({ keepFrom: 2 });
      assert.deepEqual(await view(child), ["2", "new"]);
      assert.deepEqual(await view(parent), ["4"]);
    },
  },
  {
    title: "an id that was used before it is known in both",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await parent.append(say("a"), { id: "x" });
      const child = await parent.fork("child");
      assert.deepEqual(await child.append(say("a"), { id: "x" }), { seq: 1 });
      await rejectsWith("ID_CONFLICT", child.append(say("b"), { id: "x" }));
      assert.deepEqual(await child.append(say("b"), { id: "y" }), { seq: 2 });
      assert.deepEqual(await parent.append(say("c"), { id: "y" }), { seq: 2 });
    },
  },
  {
    title: "into the middle of a batch keeps its beginning",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await parent.append(sayAll("1", "2", "3"));
      const child = await parent.fork("child", { at: 2 });
      assert.deepEqual(await view(child), ["1", "2"]);
      assert.deepEqual(await child.append(sayAll("a", "b")), { seq: 4 });
      assert.deepEqual(await view(child), ["1", "2", "a", "b"]);
    },
  },
  {
    title: "forks can be forked",
    needs: ["fork"],
    run: async ({ store }) => {
      const first = store.session("s");
      await numbered(first, 2);
      const second = await first.fork("second");
      await second.append(say("second"));
      const third = await second.fork("third");
      await third.append(say("third"));
      const early = await third.fork("early", { at: 1 });
      await early.append(say("early"));
      assert.deepEqual(await view(third), ["1", "2", "second", "third"]);
      assert.deepEqual(await view(early), ["1", "early"]);
      assert.deepEqual(await view(second), ["1", "2", "second"]);
      assert.deepEqual(await view(first), ["1", "2"]);
    },
  },
  {
    title: "has what was written before the call, and nothing of what comes after",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      const steps = [
        parent.append(say("a")),
        parent.append(sayAll("b", "c")),
        parent.fork("child"),
        parent.append(say("d")),
      ];
      await Promise.all(steps);
      assert.deepEqual(await view(store.session("child")), ["a", "b", "c"]);
      assert.deepEqual(await view(parent), ["a", "b", "c", "d"]);
    },
  },
  {
    title: "two that want the same key: one gets it",
    needs: ["fork"],
    run: async ({ store }) => {
      const [a, b] = [store.session("a"), store.session("b")];
      await a.append(say("a"));
      await b.append(say("b"));
      const outcomes = await Promise.allSettled([a.fork("child"), b.fork("child"), a.fork("b"), b.fork("a")]);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), [
        "fulfilled",
        "rejected",
        "rejected",
        "rejected",
      ]);
      const [content] = await view(store.session("child"));
      assert.ok(content === "a" || content === "b");
      assert.deepEqual([await view(a), await view(b)], [["a"], ["b"]]);
    },
  },
  {
    title: "both are listed and searched",
    needs: ["fork"],
    run: async ({ store }) => {
      await store.session("s").append(say("needle"));
      await store.session("s").fork("child");
      assert.deepEqual(
        (await collect(store.list({ order: "key" }))).map(({ key }) => key),
        ["child", "s"],
      );
      const hits = await store.search("needle");
      assert.deepEqual(hits.map(({ key, seq }) => [key, seq]).sort(), [
        ["child", 1],
        ["s", 1],
      ]);
    },
  },
  {
    title: "is there after reopening, and goes on",
    needs: ["fork", "durable"],
    run: async ({ store, reopen }) => {
      await numbered(store.session("s"), 3);
      await (await store.session("s").fork("child", { at: 2 })).append(say("child"));
      const again = await reopen();
      assert.deepEqual(await view(again.session("child")), ["1", "2", "child"]);
      assert.deepEqual(await view(again.session("s")), ["1", "2", "3"]);
      assert.deepEqual(await again.session("child").append(say("more")), { seq: 4 });
      await again.session("child").rewind({ to: 1 });
      assert.deepEqual(await view((await reopen()).session("child")), ["1"]);
    },
  },
  {
    title: "outlives its parent",
    needs: ["fork", "archive"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await numbered(parent, 3);
      const child = await parent.fork("child");
      await parent.delete({ forever: true });
      assert.deepEqual(await view(child), ["1", "2", "3"]);
      assert.deepEqual(await child.append(say("4")), { seq: 4 });
      await child.rewind({ to: 2 });
      assert.deepEqual(await view(child), ["1", "2"]);
      await child.delete({ forever: true });
      assert.deepEqual(await idsIn(store, "trashed"), []);
    },
  },
  {
    title: "an archived session can be forked, and stays archived",
    needs: ["fork", "archive"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await numbered(parent, 2);
      const id = await idOf(parent);
      await parent.archive();
      const child = await parent.fork("child");
      assert.deepEqual(await view(child), ["1", "2"]);
      assert.equal((await child.state())?.status, "active");
      assert.deepEqual(await idsIn(store, "archived"), [id]);
    },
  },
  {
    title: "a key whose sessions are put away is free; they stay where they are",
    needs: ["fork", "archive"],
    run: async ({ store }) => {
      await numbered(store.session("s"), 2);
      const target = store.session("child");
      await target.append(say("archived"));
      const id = (await idOf(target)) ?? "";
      await target.archive();
      await store.session("s").fork("child");
      assert.deepEqual(await view(target), ["1", "2"]);
      assert.deepEqual(await idsIn(store, "archived"), [id]);
      await target.delete({ forever: true });
      assert.equal(await target.exists(), false);
    },
  },
  {
    title: "needs a session, a free key, and a record to end with",
    needs: ["fork"],
    run: async ({ store }) => {
      const parent = store.session("s");
      await rejectsWith("SESSION_NOT_FOUND", parent.fork("child"));
      await numbered(parent, 3);
      await store.session("taken").append(say("stays"));
      await rejectsWith("SESSION_EXISTS", parent.fork("taken"));
      const attempts: readonly (readonly [string, () => Promise<unknown>])[] = [
        ["newKey", () => parent.fork("s")],
        ["at", () => parent.fork("child", { at: 4 })],
        ["at", () => parent.fork("child", { at: 0 })],
        ["at", () => parent.fork("child", { at: 1.5 })],
        ["at", () => parent.fork("child", { at: "1" as never })],
        ["to", () => parent.fork("child", { to: 1 } as never)],
      ];
      for (const [name, attempt] of attempts) {
        const error = await rejectsWith("OPTION_INVALID", attempt());
        assert.ok(error.message.includes(name), `"${error.message}" does not name ${name}`);
      }
      await rejectsWith("KEY_INVALID", parent.fork(""));
      await rejectsWith("KEY_INVALID", parent.fork(7 as never));
      assert.equal(await store.session("child").exists(), false);
      assert.deepEqual(await view(store.session("taken")), ["stays"]);
      assert.equal(await seqOf(parent), 3);
    },
  },
  {
    title: "needs a store that may write",
    needs: ["fork", "readOnly"],
    run: async ({ store, reopen }) => {
      await numbered(store.session("s"), 1);
      const reader = await reopen({ readOnly: true });
      await rejectsWith("STORE_READ_ONLY", reader.session("s").fork("child"));
      assert.equal(await reader.session("child").exists(), false);
    },
  },
  {
    title: "a backend that cannot says so",
    lacks: "fork",
    run: async ({ store }) => {
      await numbered(store.session("s"), 1);
      await rejectsWith("STORE_READ_ONLY", store.session("s").fork("child"));
      assert.equal(await store.session("child").exists(), false);
    },
  },
];
