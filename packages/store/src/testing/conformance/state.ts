/** What a session says of itself. Not found is `undefined`. */

import assert from "node:assert/strict";
import { numbered, say, untilTheClockMoves } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const stateCases: readonly ConformanceCase[] = [
  {
    title: "of a session that does not exist is undefined, and asking does not create it",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.equal(await session.state(), undefined);
      assert.equal(await session.exists(), false);
      assert.equal(await session.state(), undefined);
    },
  },
  {
    title: "of a session with one message",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("hello"));
      const info = await session.state();
      assert.ok(info);
      const { id, created, updated, bytes, ...rest } = info;
      assert.deepEqual(rest, {
        key: "s",
        status: "active",
        seq: 1,
        count: 1,
        summary: "",
        tags: [],
        damaged: 0,
      });
      assert.ok(id.length > 0);
      assert.match(created, TIME);
      assert.match(updated, TIME);
      assert.ok(updated >= created);
      assert.ok(bytes >= 0);
    },
  },
  {
    title: "the title is absent until it is set",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("hello"));
      assert.equal("title" in ((await session.state()) ?? {}), false);
      await session.setTitle("Greetings");
      assert.equal((await session.state())?.title, "Greetings");
    },
  },
  {
    title: "count is the number of live messages, seq of all records",
    run: async ({ store }) => {
      const session = store.session("s");
      const expectCounts = async (seq: number, count: number): Promise<void> => {
        const info = await session.state();
        assert.deepEqual([info?.seq, info?.count], [seq, count]);
        assert.equal((await session.messages()).length, count);
      };
      await numbered(session, 4);
      await expectCounts(4, 4);
      await session.note("pin", 1);
      await expectCounts(5, 4);
      await session.truncate({ keepLast: 3 });
      await expectCounts(6, 3);
      await session.append([say("7"), say("8")]);
      await expectCounts(8, 5);
      await session.compact({ summary: "s", keepFrom: 4 });
      await expectCounts(9, 3);
      await session.rewind({ to: 6 });
      await expectCounts(10, 3);
      await session.rewind({ to: 4 });
      await expectCounts(11, 4);
      await session.replace([say("13")]);
      await expectCounts(13, 1);
      await session.rewind({ to: 0 });
      await expectCounts(14, 0);
    },
  },
  {
    title: "id and created stay, updated follows the last record",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("hello"));
      const first = await session.state();
      await untilTheClockMoves(session);
      const second = await session.state();
      assert.equal(second?.id, first?.id);
      assert.equal(second?.created, first?.created);
      assert.ok((second?.updated ?? "") > (first?.updated ?? ""));
    },
  },
  {
    title: "two sessions have two ids",
    run: async ({ store }) => {
      await store.session("a").append(say("x"));
      await store.session("b").append(say("x"));
      assert.notEqual((await store.session("a").state())?.id, (await store.session("b").state())?.id);
    },
  },
  {
    title: "what is returned is a copy of that moment",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setTags(["kept"]);
      const info = await session.state();
      assert.ok(info);
      (info.tags as string[]).push("added");
      await session.append(say("later"));
      assert.equal(info.seq, 1);
      assert.deepEqual((await session.state())?.tags, ["kept"]);
    },
  },
];
