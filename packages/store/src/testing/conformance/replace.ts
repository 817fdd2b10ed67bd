/** The whole history, atomically. */

import assert from "node:assert/strict";
import type { Message } from "../../format/message.ts";
import { log, numbered, refusesOption, rejectsWith, say, sayAll, seqOf, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const replaceCases: readonly ConformanceCase[] = [
  {
    title: "the view is the new history, the old one stays readable",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      const { seq } = await session.replace(sayAll("a", "b"));
      assert.equal(seq, await seqOf(session));
      assert.deepEqual(await view(session), ["a", "b"]);
      assert.deepEqual(await log(session), ["1", "2", "3", "reset", "a", "b"]);
    },
  },
  {
    title: "by nothing empties the view",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 3);
      await session.replace([]);
      assert.deepEqual(await view(session), []);
      assert.equal((await session.state())?.count, 0);
      await session.append(say("new"));
      assert.deepEqual(await view(session), ["new"]);
    },
  },
  {
    title: "creates a session that did not exist",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.replace(sayAll("a"));
      assert.deepEqual(await view(session), ["a"]);
    },
  },
  {
    title: "keeps the summary unless one is given, and title and tags always",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setSummary("old");
      await session.setTitle("title");
      await session.setTags(["tag"]);
      await session.replace(sayAll("a"));
      assert.equal((await session.state())?.summary, "old");
      await session.replace(sayAll("b"), { summary: "new" });
      assert.equal((await session.state())?.summary, "new");
      await session.replace(sayAll("c"), { summary: "" });
      const info = await session.state();
      assert.deepEqual([info?.summary, info?.title, info?.tags], ["", "title", ["tag"]]);
    },
  },
  {
    title: "after a truncate shows the new history whole",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 4);
      await session.truncate({ keepLast: 1 });
      await session.replace(sayAll("a", "b", "c"));
      assert.deepEqual(await view(session), ["a", "b", "c"]);
      await session.truncate({ keepLast: 2 });
      assert.deepEqual(await view(session), ["b", "c"]);
    },
  },
  {
    title: "with one bad message changes nothing",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      const bad = { role: "nobody", content: "x" } as never;
      await rejectsWith("MESSAGE_INVALID", session.replace([say("a"), bad], { summary: "new" }));
      assert.deepEqual(await log(session), ["1", "2"]);
    },
  },
  {
    title: "with messages changed after the call keeps what they were",
    run: async ({ store }) => {
      const session = store.session("s");
      const messages: Message[] = sayAll("a", "b");
      const writing = session.replace(messages);
      messages.length = 0;
      await writing;
      assert.deepEqual(await view(session), ["a", "b"]);
    },
  },
  {
    title: "is never seen half done",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b", "c"));
      const writing = session.replace(sayAll("x", "y", "z"));
      const seen = [await view(session), await view(session)];
      await writing;
      for (const one of seen)
        assert.ok([["a", "b", "c"].join(), ["x", "y", "z"].join()].includes(one.join()));
      assert.deepEqual(await view(session), ["x", "y", "z"]);
    },
  },
  {
    title: "unknown options and messages that are no array are OPTION_INVALID",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 1);
      await refusesOption(session, "id", () => session.replace([], { id: "x" } as never));
      await refusesOption(session, "summary", () => session.replace([], { summary: 5 as never }));
      for (const value of [undefined, null, say("a"), "a"] as never[]) {
        await refusesOption(session, "messages", () => session.replace(value));
      }
      assert.deepEqual(await log(session), ["1"]);
    },
  },
];
