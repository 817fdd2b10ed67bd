/** The log itself: every record that is kept, cut or not, with its seq and time. */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { collect, log, numbered, refusesOption, say, sayAll } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function seqs(session: Session, options?: Parameters<Session["records"]>[0]): Promise<number[]> {
  return (await collect(session.records(options))).map(({ seq }) => seq);
}

/** Records without their time. */
async function bare(session: Session): Promise<unknown[]> {
  return (await collect(session.records())).map(({ at, ...record }) => {
    assert.match(at, TIME);
    return record;
  });
}

export const recordsCases: readonly ConformanceCase[] = [
  {
    title: "shows each kind of record with what it says",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b"));
      await session.setSummary("so far");
      await session.setTitle("A talk");
      await session.setTags(["x", "y"]);
      await session.note("usage", { tokens: 5 });
      await session.truncate({ keepLast: 1 });
      await session.compact({ summary: "shorter", keepFrom: 2 });
      await session.rewind({ to: 6 });
      await session.replace([]);
      await session.replace(sayAll("c"), { summary: "anew" });
      assert.deepEqual(await bare(session), [
        { seq: 1, message: say("a") },
        { seq: 2, message: say("b") },
        { seq: 3, op: "summary", summary: "so far" },
        { seq: 4, op: "meta", title: "A talk" },
        { seq: 5, op: "meta", tags: ["x", "y"] },
        { seq: 6, op: "note", kind: "usage", data: { tokens: 5 } },
        { seq: 7, op: "truncate", keepFrom: 2 },
        { seq: 8, op: "compact", summary: "shorter", keepFrom: 2 },
        { seq: 9, op: "rewind", to: 6 },
        { seq: 10, op: "reset" },
        { seq: 11, op: "reset", summary: "anew" },
        { seq: 12, message: say("c") },
      ]);
    },
  },
  {
    title: "what was cut stays readable",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.truncate({ keepLast: 1 });
      await session.rewind({ to: 0 });
      await session.replace(sayAll("new"));
      await session.compact({ summary: "all", keepFrom: 8 });
      assert.deepEqual(await session.messages(), []);
      assert.deepEqual(await log(session), ["1", "2", "3", "truncate", "rewind", "reset", "new", "compact"]);
    },
  },
  {
    title: "of a session that does not exist are none",
    run: async ({ store }) => {
      assert.deepEqual(await seqs(store.session("s")), []);
      assert.deepEqual(await seqs(store.session("s"), { last: 3, reverse: true }), []);
      assert.equal(await store.session("s").exists(), false);
    },
  },
  {
    title: "from and to are inclusive seqs of any kind of record",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      await session.note("pin", null);
      await numbered(session, 2);
      assert.deepEqual(await seqs(session, { from: 3 }), [3, 4, 5]);
      assert.deepEqual(await seqs(session, { to: 3 }), [1, 2, 3]);
      assert.deepEqual(await seqs(session, { from: 3, to: 3 }), [3]);
      assert.deepEqual(await seqs(session, { from: 0, to: 99 }), [1, 2, 3, 4, 5]);
      assert.deepEqual(await seqs(session, { from: 6 }), []);
      assert.deepEqual(await seqs(session, { from: 4, to: 2 }), []);
    },
  },
  {
    title: "last gives the newest records, oldest first unless reversed",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.setTitle("t");
      assert.deepEqual(await seqs(session, { last: 2 }), [3, 4]);
      assert.deepEqual(await seqs(session, { last: 2, reverse: true }), [4, 3]);
      assert.deepEqual(await seqs(session, { last: 2, to: 3 }), [2, 3]);
      assert.deepEqual(await seqs(session, { last: 0 }), []);
      assert.deepEqual(await seqs(session, { last: 99 }), [1, 2, 3, 4]);
    },
  },
  {
    title: "reverse is the same backwards",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 6);
      for (const bounds of [{}, { from: 2 }, { to: 5 }, { from: 2, to: 4 }]) {
        const forward = await collect(session.records(bounds));
        assert.deepEqual(await collect(session.records({ ...bounds, reverse: true })), forward.reverse());
      }
    },
  },
  {
    title: "live gives the messages of the view only, with their seqs",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4); // 1 to 4
      await session.note("pin", 1); // 5
      await session.truncate({ keepFrom: 2 }); // 6
      await session.append(sayAll("7", "8"));
      await session.rewind({ messages: 1 }); // 9
      assert.deepEqual(await seqs(session, { live: true }), [2, 3, 4, 7]);
      assert.deepEqual(await seqs(session, { live: true, last: 2 }), [4, 7]);
      assert.deepEqual(await seqs(session, { live: true, last: 2, reverse: true }), [7, 4]);
      assert.deepEqual(await seqs(session, { live: true, from: 3, to: 5 }), [3, 4]);
      assert.deepEqual(await seqs(session, { live: false, from: 5, to: 6 }), [5, 6]);
    },
  },
  {
    title: "a batch has one time",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b", "c"));
      const times = (await collect(session.records())).map(({ at }) => at);
      assert.equal(new Set(times).size, 1);
      assert.match(times[0] ?? "", TIME);
    },
  },
  {
    title: "a returned record is a copy",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setTags(["kept"]);
      await session.note("kind", { list: [1] });
      for await (const record of session.records()) {
        if (record.op === "meta") (record.tags as string[]).push("added");
        if (record.op === "note") (record.data as { list: number[] }).list.push(2);
      }
      assert.deepEqual(await bare(session), [
        { seq: 1, op: "meta", tags: ["kept"] },
        { seq: 2, op: "note", kind: "kind", data: { list: [1] } },
      ]);
      assert.deepEqual((await session.state())?.tags, ["kept"]);
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 1);
      await refusesOption(session, "limit", () => seqs(session, { limit: 3 } as never));
      await refusesOption(session, "last", () => seqs(session, { last: -1 }));
      await refusesOption(session, "from", () => seqs(session, { from: 0.5 }));
      await refusesOption(session, "to", () => seqs(session, { to: "3" as never }));
      await refusesOption(session, "live", () => seqs(session, { live: 1 as never }));
      await refusesOption(session, "reverse", () => seqs(session, { reverse: null as never }));
    },
  },
];
