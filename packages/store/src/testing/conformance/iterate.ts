/** The live view one message at a time, as it was when the iteration began. */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { collect, numbered, refusesOption, say, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function contents(session: Session, options?: Parameters<Session["iterate"]>[0]): Promise<unknown[]> {
  return (await collect(session.iterate(options))).map(({ content }) => content);
}

export const iterateCases: readonly ConformanceCase[] = [
  {
    title: "gives what messages() gives",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.note("pin", 1);
      await session.truncate({ keepLast: 3 });
      assert.deepEqual(await collect(session.iterate()), await session.messages());
      assert.deepEqual(await contents(session), ["2", "3", "4"]);
    },
  },
  {
    title: "of a session that does not exist gives nothing",
    run: async ({ store }) => {
      assert.deepEqual(await contents(store.session("s")), []);
      assert.deepEqual(await contents(store.session("s"), { reverse: true }), []);
      assert.equal(await store.session("s").exists(), false);
    },
  },
  {
    title: "from is an inclusive seq",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      assert.deepEqual(await contents(session, { from: 3 }), ["3", "4"]);
      assert.deepEqual(await contents(session, { from: 5 }), []);
      assert.deepEqual(await contents(session, { from: 0 }), ["1", "2", "3", "4"]);
    },
  },
  {
    title: "reverse begins with the newest; from stays the first one kept",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      assert.deepEqual(await contents(session, { reverse: true }), ["4", "3", "2", "1"]);
      assert.deepEqual(await contents(session, { reverse: true, from: 3 }), ["4", "3"]);
    },
  },
  {
    title: "what is written while it runs does not change what it gives",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      const seen: unknown[] = [];
      for await (const { content } of session.iterate()) {
        seen.push(content);
        if (seen.length === 1) {
          await session.append(say("new"));
          await session.truncate({ keepLast: 1 });
        }
      }
      assert.deepEqual(seen, ["1", "2", "3", "4", "5"]);
      assert.deepEqual(await view(session), ["new"]);
    },
  },
  {
    title: "can be left early, again and again, and everything goes on",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      for (let round = 0; round < 50; round++) {
        for await (const message of session.iterate({ reverse: round % 2 === 1 })) {
          assert.equal(message.content, round % 2 === 1 ? "5" : "1");
          break;
        }
      }
      assert.deepEqual(await session.append(say("6")), { seq: 6 });
      assert.equal((await contents(session)).length, 6);
    },
  },
  {
    title: "two at the same time do not disturb each other",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 20);
      const [forward, backward] = await Promise.all([
        contents(session),
        contents(session, { reverse: true }),
      ]);
      assert.equal(forward.length, 20);
      assert.deepEqual(backward, [...forward].reverse());
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 1);
      await refusesOption(session, "last", () => contents(session, { last: 3 } as never));
      await refusesOption(session, "from", () => contents(session, { from: -1 }));
      await refusesOption(session, "reverse", () => contents(session, { reverse: "yes" as never }));
    },
  },
];
