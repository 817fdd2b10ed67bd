/** The live view, oldest first. Bounds are inclusive seqs; `last` counts live messages. */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { numbered, refusesOption, say, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function contents(session: Session, options: Parameters<Session["messages"]>[0]): Promise<unknown[]> {
  return (await session.messages(options)).map(({ content }) => content);
}

export const messagesCases: readonly ConformanceCase[] = [
  {
    title: "of a session that does not exist are none, and reading does not create it",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.deepEqual(await session.messages(), []);
      assert.deepEqual(await session.messages({ last: 5, from: 2, to: 9 }), []);
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "last gives the newest ones, oldest first",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      assert.deepEqual(await contents(session, { last: 2 }), ["4", "5"]);
      assert.deepEqual(await contents(session, { last: 5 }), ["1", "2", "3", "4", "5"]);
      assert.deepEqual(await contents(session, { last: 99 }), ["1", "2", "3", "4", "5"]);
      assert.deepEqual(await contents(session, { last: 0 }), []);
    },
  },
  {
    title: "last counts messages, not records",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.note("pin", 1);
      await session.setTitle("title");
      assert.deepEqual(await contents(session, { last: 2 }), ["2", "3"]);
    },
  },
  {
    title: "from and to are inclusive seqs",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3); // seq 1 to 3
      await session.note("between", null); // seq 4
      await session.append(say("5"));
      assert.deepEqual(await contents(session, { from: 2 }), ["2", "3", "5"]);
      assert.deepEqual(await contents(session, { to: 2 }), ["1", "2"]);
      assert.deepEqual(await contents(session, { from: 2, to: 3 }), ["2", "3"]);
      assert.deepEqual(await contents(session, { from: 3, to: 3 }), ["3"]);
      assert.deepEqual(await contents(session, { from: 4, to: 4 }), []);
      assert.deepEqual(await contents(session, { from: 5, to: 99 }), ["5"]);
    },
  },
  {
    title: "bounds outside the log or crossed give nothing or what there is",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      assert.deepEqual(await contents(session, { from: 0 }), ["1", "2", "3"]);
      assert.deepEqual(await contents(session, { to: 0 }), []);
      assert.deepEqual(await contents(session, { from: 4 }), []);
      assert.deepEqual(await contents(session, { from: 3, to: 1 }), []);
    },
  },
  {
    title: "last within bounds gives the newest inside them",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 6);
      assert.deepEqual(await contents(session, { last: 2, to: 4 }), ["3", "4"]);
      assert.deepEqual(await contents(session, { last: 9, from: 5 }), ["5", "6"]);
      assert.deepEqual(await contents(session, { last: 1, from: 2, to: 3 }), ["3"]);
    },
  },
  {
    title: "what is cut is not among them, whatever the bounds",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      await session.truncate({ keepFrom: 3 }); // seq 6
      await session.rewind({ to: 6 }); // seq 7, cuts nothing
      await session.append(say("8"));
      assert.deepEqual(await contents(session, { from: 1 }), ["3", "4", "5", "8"]);
      assert.deepEqual(await contents(session, { last: 9 }), ["3", "4", "5", "8"]);
      assert.deepEqual(await contents(session, { to: 4 }), ["3", "4"]);
      await session.rewind({ messages: 1 });
      assert.deepEqual(await contents(session, { from: 5, to: 99 }), ["5"]);
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 1);
      await refusesOption(session, "limit", () => session.messages({ limit: 3 } as never));
      await refusesOption(session, "reverse", () => session.messages({ reverse: true } as never));
      for (const value of [-1, 1.5, Number.NaN, "2", null]) {
        await refusesOption(session, "last", () => session.messages({ last: value as never }));
        await refusesOption(session, "from", () => session.messages({ from: value as never }));
        await refusesOption(session, "to", () => session.messages({ to: value as never }));
      }
    },
  },
  {
    title: "each call gives its own array",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      (await session.messages()).length = 0;
      assert.deepEqual(await view(session), ["1", "2"]);
    },
  },
];
