/** The summary belongs to the view, title and tags to the session. */

import assert from "node:assert/strict";
import { log, numbered, refusesOption, say, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

const AWKWARD = ["", "two\nlines", '"quoted" \\', "\u2028\u0000", "日本語 🙂", "\ud800", "x".repeat(10_000)];

export const summaryTitleTagsCases: readonly ConformanceCase[] = [
  {
    title: "the last summary counts and the messages stay",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      assert.deepEqual(await session.setSummary("first"), { seq: 3 });
      assert.deepEqual(await session.setSummary("second"), { seq: 4 });
      assert.equal((await session.state())?.summary, "second");
      assert.deepEqual(await view(session), ["1", "2"]);
      await session.setSummary("");
      assert.equal((await session.state())?.summary, "");
    },
  },
  {
    title: "title and tags change one without the other",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.setTitle("A talk");
      await session.setTags(["work", "urgent"]);
      await session.setTitle("Another talk");
      const info = await session.state();
      assert.deepEqual([info?.title, info?.tags], ["Another talk", ["work", "urgent"]]);
      await session.setTags([]);
      assert.deepEqual((await session.state())?.tags, []);
      assert.equal((await session.state())?.title, "Another talk");
    },
  },
  {
    title: "each of them creates a session that did not exist",
    run: async ({ store }) => {
      assert.deepEqual(await store.session("a").setSummary("s"), { seq: 1 });
      assert.deepEqual(await store.session("b").setTitle("t"), { seq: 1 });
      assert.deepEqual(await store.session("c").setTags(["t"]), { seq: 1 });
      for (const key of ["a", "b", "c"]) {
        assert.equal(await store.session(key).exists(), true);
        assert.deepEqual(await store.session(key).messages(), []);
      }
    },
  },
  {
    title: "any text comes back as it was",
    run: async ({ store }) => {
      const session = store.session("s");
      for (const text of AWKWARD) {
        await session.setSummary(text);
        await session.setTitle(text);
        await session.setTags([text, text]);
        const info = await session.state();
        assert.deepEqual([info?.summary, info?.title, info?.tags], [text, text, [text, text]]);
      }
    },
  },
  {
    title: "tags changed after the call are kept as they were",
    run: async ({ store }) => {
      const session = store.session("s");
      const tags = ["kept"];
      const writing = session.setTags(tags);
      tags.push("added");
      await writing;
      assert.deepEqual((await session.state())?.tags, ["kept"]);
    },
  },
  {
    title: "values of the wrong kind and unknown options are OPTION_INVALID",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      for (const value of [undefined, null, 5, {}, ["x"]] as never[]) {
        await refusesOption(session, "summary", () => session.setSummary(value));
        await refusesOption(session, "title", () => session.setTitle(value));
      }
      for (const value of [undefined, null, "tag", [5], ["a", null]] as never[]) {
        await refusesOption(session, "tags", () => session.setTags(value));
      }
      await refusesOption(session, "id", () => session.setTitle("t", { id: "x" } as never));
      await refusesOption(session, "force", () => session.setSummary("s", { force: true } as never));
      await refusesOption(session, "merge", () => session.setTags([], { merge: true } as never));
      assert.deepEqual(await log(session), ["a"]);
    },
  },
];
