/** A session for oneself, for a whole turn. The others wait in line. */

import assert from "node:assert/strict";
import { log, refusesOption, rejectsWith, say, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const lockCases: readonly ConformanceCase[] = [
  {
    title: "the store that has it writes on",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("1"));
      const lock = await session.lock();
      assert.deepEqual(await session.append(say("2")), { seq: 2 });
      assert.deepEqual(await store.session("s").truncate({ keepLast: 1 }), { seq: 3 });
      await lock[Symbol.asyncDispose]();
      assert.deepEqual(await session.append(say("4")), { seq: 4 });
      assert.deepEqual(await view(session), ["2", "4"]);
    },
  },
  {
    title: "the next lock waits until it is disposed of, in the order of the calls",
    run: async ({ store }) => {
      const session = store.session("s");
      const first = await session.lock();
      const order: string[] = [];
      const inLine = ["second", "third", "fourth"].map(async (name) => {
        const lock = await store.session("s").lock();
        order.push(name);
        await session.append(say(name));
        order.push(`${name} ends`);
        await lock[Symbol.asyncDispose]();
      });
      await session.append(say("first"));
      assert.deepEqual(order, []);
      await first[Symbol.asyncDispose]();
      await Promise.all(inLine);
      assert.deepEqual(order, ["second", "second ends", "third", "third ends", "fourth", "fourth ends"]);
      assert.deepEqual(await view(session), ["first", "second", "third", "fourth"]);
    },
  },
  {
    title: "who has waited long enough gets SESSION_LOCKED, which names the owner",
    run: async ({ store }) => {
      const session = store.session("s");
      const lock = await session.lock();
      for (const wait of [0, 30]) {
        const { detail, message } = await rejectsWith("SESSION_LOCKED", session.lock({ wait }));
        assert.equal(detail["key"], "s");
        assert.equal(typeof detail["pid"], "number");
        assert.equal(typeof detail["host"], "string");
        assert.ok(!Number.isNaN(Date.parse(String(detail["since"]))), String(detail["since"]));
        assert.ok(message.includes(String(detail["pid"])), message);
      }
      await lock[Symbol.asyncDispose]();
      await (await session.lock({ wait: 0 }))[Symbol.asyncDispose]();
    },
  },
  {
    title: "disposing twice gives up nobody else's lock",
    run: async ({ store }) => {
      const session = store.session("s");
      const first = await session.lock();
      await first[Symbol.asyncDispose]();
      const second = await session.lock();
      await Promise.all([first[Symbol.asyncDispose](), first[Symbol.asyncDispose]()]);
      await rejectsWith("SESSION_LOCKED", session.lock({ wait: 0 }));
      await second[Symbol.asyncDispose]();
      await (await session.lock({ wait: 0 }))[Symbol.asyncDispose]();
    },
  },
  {
    title: "other keys are free",
    run: async ({ store }) => {
      const locks = await Promise.all(
        ["s", "S", "t"].map(async (key) => await store.session(key).lock({ wait: 0 })),
      );
      await store.session("u").append(say("a"));
      for (const lock of locks) await lock[Symbol.asyncDispose]();
    },
  },
  {
    title: "a key without a session can be locked, and has none afterwards",
    run: async ({ store }) => {
      const session = store.session("s");
      const lock = await session.lock();
      assert.equal(await session.exists(), false);
      await lock[Symbol.asyncDispose]();
      assert.equal(await session.exists(), false);
      assert.deepEqual(await session.append(say("a"), { expectedSeq: 0 }), { seq: 1 });
    },
  },
  {
    title: "a signal takes one out of the line, with its reason",
    run: async ({ store }) => {
      const session = store.session("s");
      const reason = new Error("the user has gone");
      const aborted = session.lock({ signal: AbortSignal.abort(reason) });
      await assert.rejects(aborted, (error) => error === reason);
      const first = await session.lock();
      const controller = new AbortController();
      const waiting = session.lock({ signal: controller.signal });
      const next = session.lock();
      controller.abort(reason);
      await assert.rejects(waiting, (error) => error === reason);
      await first[Symbol.asyncDispose]();
      await (await next)[Symbol.asyncDispose]();
      await (await session.lock({ wait: 0 }))[Symbol.asyncDispose]();
    },
  },
  {
    title: "closing ends it, and those in line learn that the store is closed",
    run: async ({ store }) => {
      const session = store.session("s");
      const lock = await session.lock();
      const waiting = rejectsWith("STORE_CLOSED", session.lock());
      await store.close();
      await waiting;
      await lock[Symbol.asyncDispose]();
      await rejectsWith("STORE_CLOSED", session.lock());
    },
  },
  {
    title: "the writers of another store wait until it is given up",
    needs: ["manyWriters"],
    run: async ({ store, openBeside }) => {
      const beside = await openBeside({});
      const lock = await store.session("s").lock();
      const other = beside.session("s").append(say("other"));
      for (const word of ["1", "2", "3"]) await store.session("s").append(say(word));
      await rejectsWith("SESSION_LOCKED", beside.session("s").lock({ wait: 0 }));
      await lock[Symbol.asyncDispose]();
      assert.deepEqual(await other, { seq: 4 });
      assert.deepEqual(await log(beside.session("s")), ["1", "2", "3", "other"]);
    },
  },
  {
    title: "needs a store that may write",
    needs: ["readOnly"],
    run: async ({ store, reopen }) => {
      await store.session("s").append(say("a"));
      const reader = await reopen({ readOnly: true });
      await rejectsWith("STORE_READ_ONLY", reader.session("s").lock());
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      const session = store.session("s");
      await refusesOption(session, "timeout", () => session.lock({ timeout: 1 } as never));
      await refusesOption(session, "wait", () => session.lock({ wait: -1 }));
      await refusesOption(session, "wait", () => session.lock({ wait: Infinity }));
      await refusesOption(session, "signal", () => session.lock({ signal: {} as never }));
      await (await session.lock({ wait: 0 }))[Symbol.asyncDispose]();
    },
  },
];
