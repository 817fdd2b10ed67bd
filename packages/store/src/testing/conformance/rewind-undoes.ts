/**
 * A rewind gives the view as it was after a record: later truncate, compact, reset, summary and rewind records are
 * undone; title, tags and notes stay.
 */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { log, numbered, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function summary(session: Session): Promise<string | undefined> {
  return (await session.state())?.summary;
}

export const rewindUndoesCases: readonly ConformanceCase[] = [
  {
    title: "of a rewind brings back what it had cut",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.rewind({ to: 1 }); // seq 4
      await session.append(say("5"));
      await session.rewind({ to: 3 }); // as it was before the first rewind
      assert.deepEqual(await view(session), ["1", "2", "3"]);
      await session.rewind({ to: 5 }); // as it was after the first rewind and the append
      assert.deepEqual(await view(session), ["1", "5"]);
      await session.rewind({ to: 4 });
      assert.deepEqual(await view(session), ["1"]);
    },
  },
  {
    title: "undoes a later truncate",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.truncate({ keepLast: 1 });
      await session.rewind({ to: 4 });
      assert.deepEqual(await view(session), ["1", "2", "3", "4"]);
    },
  },
  {
    title: "keeps an earlier truncate",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.truncate({ keepLast: 2 }); // seq 5
      await session.append(sayAll("6", "7"));
      await session.rewind({ to: 6 });
      assert.deepEqual(await view(session), ["3", "4", "6"]);
      await session.rewind({ to: 5 });
      assert.deepEqual(await view(session), ["3", "4"]);
    },
  },
  {
    title: "undoes a later compact, its summary too",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setSummary("before"); // seq 1
      await session.append(sayAll("2", "3", "4"));
      await session.compact({ summary: "after", keepFrom: 4 }); // seq 5
      await session.rewind({ to: 4 });
      assert.deepEqual(await view(session), ["2", "3", "4"]);
      assert.equal(await summary(session), "before");
      await session.rewind({ to: 5 });
      assert.deepEqual(await view(session), ["4"]);
      assert.equal(await summary(session), "after");
    },
  },
  {
    title: "undoes a later replace",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("1", "2"));
      await session.setSummary("before"); // seq 3
      await session.replace(sayAll("new"), { summary: "after" }); // seq 4 and 5
      await session.rewind({ to: 3 });
      assert.deepEqual(await view(session), ["1", "2"]);
      assert.equal(await summary(session), "before");
      await session.rewind({ to: 4 });
      assert.deepEqual(await view(session), []);
      assert.equal(await summary(session), "after");
    },
  },
  {
    title: "undoes a later summary",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("1"));
      await session.setSummary("one"); // seq 2
      await session.setSummary("two"); // seq 3
      await session.rewind({ to: 2 });
      assert.equal(await summary(session), "one");
      await session.rewind({ to: 1 });
      assert.equal(await summary(session), "");
      await session.rewind({ to: 3 });
      assert.equal(await summary(session), "two");
    },
  },
  {
    title: "leaves title, tags and notes",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("1"));
      await session.setTitle("title");
      await session.setTags(["tag"]);
      await session.note("pin", 1);
      await session.append(say("2"));
      await session.rewind({ to: 0 });
      const info = await session.state();
      assert.deepEqual([info?.title, info?.tags], ["title", ["tag"]]);
      assert.deepEqual(await log(session), ["1", "meta", "meta", "note", "2", "rewind"]);
    },
  },
  {
    title: "messages goes back to the view before the first of them, also across a truncate",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.truncate({ keepLast: 2 }); // seq 5: the view is 3 and 4
      await session.append(say("6"));
      await session.rewind({ messages: 1 });
      assert.deepEqual(await view(session), ["3", "4"]);
      // Message 4 is older than the truncate: the view as it was after record 3 had all three.
      await session.rewind({ messages: 1 });
      assert.deepEqual(await view(session), ["1", "2", "3"]);
    },
  },
];
