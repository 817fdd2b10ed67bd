/** Over everything kept. Any text is a query. */

import assert from "node:assert/strict";
import type { Message } from "../../format/message.ts";
import { rejectsWith, say, sayAll } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const searchCases: readonly ConformanceCase[] = [
  {
    title: "finds a message and says where it is",
    run: async ({ store }) => {
      await store.session("a").append(sayAll("nothing here", "the quarterly report is late"));
      await store.session("b").append(say("lunch?"));
      const hits = await store.search("quarterly report");
      assert.equal(hits.length, 1);
      assert.deepEqual([hits[0]?.key, hits[0]?.seq], ["a", 2]);
      assert.deepEqual(hits[0]?.message, say("the quarterly report is late"));
      assert.match(hits[0].snippet, /quarterly report/);
      assert.equal(typeof hits[0].score, "number");
    },
  },
  {
    title: "whatever the case of letters",
    run: async ({ store }) => {
      await store.session("a").append(say("Grüße aus KÖLN"));
      for (const query of ["köln", "KÖLN", "Köln", "grüße"]) {
        assert.equal((await store.search(query)).length, 1, query);
      }
    },
  },
  {
    title: "finds what truncate, compact, rewind and replace have cut",
    run: async ({ store }) => {
      const session = store.session("a");
      await session.append(sayAll("needle one", "needle two", "needle three"));
      await session.truncate({ keepLast: 1 });
      await session.rewind({ to: 2 });
      await session.replace(sayAll("needle four"));
      await session.compact({ summary: "s", keepFrom: 8 });
      assert.deepEqual(await session.messages(), []);
      assert.deepEqual((await store.search("needle")).map(({ seq }) => seq).sort(), [1, 2, 3, 7]);
    },
  },
  {
    title: "finds tool calls, tool output and parts of a message",
    run: async ({ store }) => {
      const messages: Message[] = [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "grep", arguments: { for: "alpha" } }],
        },
        { role: "tool", content: "beta.txt", toolCallId: "1" },
        { role: "user", content: [{ type: "text", text: "gamma rays" }] },
      ];
      await store.session("a").append(messages);
      for (const [index, query] of ["alpha", "beta", "gamma"].entries()) {
        assert.deepEqual(
          (await store.search(query)).map(({ seq }) => seq),
          [index + 1],
        );
      }
    },
  },
  {
    title: "best first, at most limit",
    run: async ({ store }) => {
      const session = store.session("a");
      await session.append(sayAll(...Array.from({ length: 30 }, (_, index) => `word number ${index}`)));
      await session.append(say("word word word word"));
      const hits = await store.search("word", { limit: 5 });
      assert.equal(hits.length, 5);
      assert.equal(hits[0]?.seq, 31);
      const scores = hits.map(({ score }) => score);
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
      );
      assert.equal((await store.search("word")).length, 20);
      assert.equal((await store.search("word", { limit: 100 })).length, 31);
      assert.deepEqual(await store.search("word", { limit: 0 }), []);
    },
  },
  {
    title: "keys limits where to look; an unknown one has nothing",
    run: async ({ store }) => {
      for (const key of ["a", "b", "c"]) await store.session(key).append(say("needle"));
      const found = async (keys: readonly string[]): Promise<string[]> =>
        (await store.search("needle", { keys })).map(({ key }) => key).sort();
      assert.deepEqual(await found(["a", "c"]), ["a", "c"]);
      assert.deepEqual(await found(["nobody"]), []);
      assert.deepEqual(await found([]), []);
      assert.equal(await store.session("nobody").exists(), false);
    },
  },
  {
    title: "no text of a query is an error",
    run: async ({ store }) => {
      await store.session("a").append(say('a "quoted" (thing) AND 100% of C++ [x] 日本語 \\d+ NEAR/2'));
      const queries = [
        ...[
          '"',
          '"quoted"',
          "(",
          "(thing)",
          "AND",
          "100%",
          "C++",
          "[x",
          "\\",
          "\\d+",
          "*",
          "NEAR/2",
          "-",
          "'",
        ],
        ...["日本", "🙂", "\ud800", "\0", "\n", "a".repeat(10_000), ";drop table sessions", "a OR"],
      ];
      for (const query of queries) assert.ok(Array.isArray(await store.search(query)), query);
      assert.equal((await store.search("日本")).length, 1);
      assert.equal((await store.search("C++")).length, 1);
    },
  },
  {
    title: "an empty query and an empty store give nothing",
    run: async ({ store }) => {
      assert.deepEqual(await store.search("anything"), []);
      await store.session("a").append(say("text"));
      assert.deepEqual(await store.search(""), []);
      assert.deepEqual(await store.search(" \n\t"), []);
    },
  },
  {
    title: "a query that is no text and unknown options are OPTION_INVALID",
    run: async ({ store }) => {
      await rejectsWith("OPTION_INVALID", store.search(5 as never));
      for (const [name, value] of Object.entries({ offset: 1, limit: -1, keys: "a" })) {
        const error = await rejectsWith("OPTION_INVALID", store.search("x", { [name]: value }));
        assert.ok(error.message.includes(name));
      }
    },
  },
];
