/** A durable fact in the session's order that is no message. */

import assert from "node:assert/strict";
import { collect, countOf, log, refusesOption, rejectsWith, say, sayAll, seqOf } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const noteCases: readonly ConformanceCase[] = [
  {
    title: "has a seq and a place in the log, but none in the view",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      assert.deepEqual(await session.note("usage", { tokens: 12 }), { seq: 2 });
      await session.append(say("b"));
      assert.deepEqual(await session.messages(), sayAll("a", "b"));
      assert.equal(await countOf(session), 2);
      assert.deepEqual(await log(session), ["a", "note", "b"]);
    },
  },
  {
    title: "creates a session that did not exist",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.note("begun", null), { seq: 1 });
      assert.equal(await session.exists(), true);
      assert.deepEqual(await session.messages(), []);
    },
  },
  {
    title: "any kind and any JSON data come back as they were",
    run: async ({ store }) => {
      const session = store.session("s");
      const kinds = ["usage", "", '"quoted"', "a\nb", "\u2028", "🙂", '","data":{"x":1}', "\ud800"];
      const values = [null, 0, -1.5, true, "", "text", [], {}, [[{ a: [null] }]], { data: { kind: "x" } }];
      const expected: unknown[] = [];
      for (const kind of kinds) {
        for (const data of values) {
          await session.note(kind, data);
          expected.push({ kind, data });
        }
      }
      const found = (await collect(session.records())).map((record) =>
        record.op === "note" ? { kind: record.kind, data: record.data } : record,
      );
      assert.deepEqual(found, expected);
    },
  },
  {
    title: "data that is not JSON is MESSAGE_INVALID and nothing is written",
    run: async ({ store }) => {
      const session = store.session("s");
      for (const data of [undefined, Number.NaN, 1n, new Date(0), new Map(), () => 1, Symbol("x")]) {
        await rejectsWith("MESSAGE_INVALID", session.note("kind", data));
        await rejectsWith("MESSAGE_INVALID", session.note("kind", { deep: [data] }));
      }
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "an id makes it safe to retry, and belongs to notes and messages alike",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.note("pin", { seq: 4 }, { id: "x" }), { seq: 1 });
      assert.deepEqual(await session.note("pin", { seq: 4 }, { id: "x" }), { seq: 1 });
      await rejectsWith("ID_CONFLICT", session.note("pin", { seq: 5 }, { id: "x" }));
      await rejectsWith("ID_CONFLICT", session.note("other", { seq: 4 }, { id: "x" }));
      await rejectsWith("ID_CONFLICT", session.append(say("a"), { id: "x" }));
      assert.equal(await seqOf(session), 1);
    },
  },
  {
    title: "data changed after the call is kept as it was",
    run: async ({ store }) => {
      const session = store.session("s");
      const data = { list: [1] };
      const writing = session.note("kind", data);
      data.list.push(2);
      await writing;
      const [record] = await collect(session.records());
      assert.deepEqual(record?.op === "note" ? record.data : undefined, { list: [1] });
    },
  },
  {
    title: "a kind that is no string and unknown options are OPTION_INVALID",
    run: async ({ store }) => {
      const session = store.session("s");
      await refusesOption(session, "kind", () => session.note(5 as never, null));
      await refusesOption(session, "kind", () => session.note(undefined as never, null));
      await refusesOption(session, "at", () => session.note("k", null, { at: 3 } as never));
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "the newest of a kind is found, and stays after truncate, rewind and replace",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.equal(await session.lastNote("pin"), undefined);
      await session.note("pin", 1);
      await session.append(say("a"));
      await session.note("other", 2);
      const { seq } = await session.note("pin", 3);
      await session.append(say("b"));
      assert.equal((await session.lastNote("pin"))?.data, 3);
      assert.equal((await session.lastNote("pin"))?.seq, seq);
      assert.equal((await session.lastNote("other"))?.data, 2);
      assert.equal(await session.lastNote("none"), undefined);
      await session.truncate({ keepLast: 1 });
      await session.rewind({ to: 2 });
      await session.replace([say("c")]);
      assert.deepEqual(
        await session.lastNote("pin"),
        (await collect(session.records({ from: seq, to: seq })))[0],
      );
    },
  },
  {
    title: "the newest of a kind is found after reopening",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      await store.session("s").note("pin", 1);
      await store.session("s").note("pin", { seq: 4 });
      await store.session("s").append(say("a"));
      assert.deepEqual((await (await reopen()).session("s").lastNote("pin"))?.data, { seq: 4 });
    },
  },
  {
    title: "the newest of a kind is found among any number of kinds, and whatever its name",
    run: async ({ store }) => {
      const session = store.session("s");
      const kinds = ["", "__proto__", "x".repeat(1000), "\ud800"];
      for (const kind of kinds) await session.note(kind, { kind });
      for (let number = 0; number < 50; number += 1) await session.note(`kind ${number}`, number);
      for (const kind of kinds) assert.deepEqual((await session.lastNote(kind))?.data, { kind });
      for (const number of [0, 17, 18, 19, 49])
        assert.equal((await session.lastNote(`kind ${number}`))?.data, number);
      assert.equal(await session.lastNote("none"), undefined);
      await refusesOption(session, "kind", () => session.lastNote(5 as never));
    },
  },
];
