/** One message: its seq, its place in the view, and that the store keeps its own copy. */

import assert from "node:assert/strict";
import type { Message } from "../../format/message.ts";
import { collect, countOf, refusesOption, rejectsWith, say, seqOf, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const appendCases: readonly ConformanceCase[] = [
  {
    title: "seqs count from 1 without gaps",
    run: async ({ store }) => {
      const session = store.session("s");
      for (let seq = 1; seq <= 5; seq++) assert.deepEqual(await session.append(say("x")), { seq });
      assert.deepEqual(
        (await collect(session.records())).map((record) => record.seq),
        [1, 2, 3, 4, 5],
      );
    },
  },
  {
    title: "records of every kind take a seq",
    run: async ({ store }) => {
      const session = store.session("s");
      const seqs = [
        await session.append(say("a")),
        await session.setSummary("summary"),
        await session.setTitle("title"),
        await session.setTags(["tag"]),
        await session.note("kind", 1),
        await session.truncate({ keepLast: 1 }),
        await session.compact({ summary: "again", keepFrom: 1 }),
        await session.rewind({ messages: 0 }),
        await session.append(say("b")),
      ].map(({ seq }) => seq);
      assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    },
  },
  {
    title: "what was appended is there at once, in order and deep-equal",
    run: async ({ store }) => {
      const session = store.session("s");
      const messages: Message[] = [
        { role: "system", content: "be brief" },
        { role: "user", content: [{ type: "text", text: "look" }], name: "Ada" },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "read_file", arguments: { path: "a.txt" } }],
          usage: { inputTokens: 3, outputTokens: 5 },
        },
        { role: "tool", content: "no such file", toolCallId: "1", isError: true },
      ];
      for (const message of messages) {
        await session.append(message);
        assert.deepEqual((await session.messages()).at(-1), message);
      }
      assert.deepEqual(await session.messages(), messages);
    },
  },
  {
    title: "the first append creates the session, nothing before it does",
    run: async ({ store }) => {
      const session = store.session("s");
      assert.equal(await session.exists(), false);
      await session.append(say("hello"));
      assert.equal(await session.exists(), true);
    },
  },
  {
    title: "two handles of one key are one session",
    run: async ({ store }) => {
      await store.session("s").append(say("one"));
      assert.deepEqual(await store.session("s").append(say("two")), { seq: 2 });
      assert.deepEqual(await view(store.session("s")), ["one", "two"]);
    },
  },
  {
    title: "a message changed after the call is kept as it was at the call",
    run: async ({ store }) => {
      const session = store.session("s");
      const part = { type: "text", text: "before" };
      const message = { role: "user" as const, content: [part], extra: { deep: [1] } };
      const writing = session.append(message);
      part.text = "after";
      message.extra.deep.push(2);
      await writing;
      const kept = { role: "user", content: [{ type: "text", text: "before" }], extra: { deep: [1] } };
      assert.deepEqual(await session.messages(), [kept]);
    },
  },
  {
    title: "options changed after the call count as they were at the call",
    run: async ({ store }) => {
      const session = store.session("s");
      const options = { id: "first", expectedSeq: 0 };
      const first = session.append(say("a"), options);
      Object.assign(options, { id: "second", expectedSeq: 1 });
      const second = session.append(say("b"), options);
      const cut = { keepLast: 1 };
      const cutOptions = { expectedSeq: 2 };
      const third = session.truncate(cut, cutOptions);
      options.expectedSeq = cutOptions.expectedSeq = cut.keepLast = 99;
      assert.deepEqual(await Promise.all([first, second, third]), [{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
      assert.deepEqual(await view(session), ["b"]);
    },
  },
  {
    title: "a returned message is a copy",
    run: async ({ store }) => {
      const session = store.session("s");
      const message = { role: "user" as const, content: [{ type: "text", text: "kept" }] };
      await session.append(message);
      for (const [reflipped] of [await session.messages(), await collect(session.iterate())]) {
        Object.assign((reflipped?.content as object[])[0] ?? {}, { text: "changed" });
      }
      for await (const record of session.records()) {
        if (record.op === undefined) Object.assign(record.message, { content: "changed" });
      }
      assert.deepEqual(await session.messages(), [message]);
    },
  },
  {
    title: "an unknown option is an error that names it, and nothing is written",
    run: async ({ store }) => {
      const session = store.session("s");
      await refusesOption(session, "expectSeq", () => session.append(say("a"), { expectSeq: 0 } as never));
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "an option of the wrong kind is an error that names it",
    run: async ({ store }) => {
      const session = store.session("s");
      for (const expectedSeq of [-1, 1.5, Number.NaN, Infinity, "1", null, {}]) {
        await refusesOption(session, "expectedSeq", () =>
          session.append(say("a"), { expectedSeq: expectedSeq as never }),
        );
      }
      for (const id of ["", 5, null, {}, "x".repeat(100_000)]) {
        await refusesOption(session, "id", () => session.append(say("a"), { id: id as never }));
      }
      await rejectsWith("OPTION_INVALID", session.append(say("a"), "options" as never));
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "an option that is undefined counts as not given",
    run: async ({ store }) => {
      const session = store.session("s");
      const options = { expectedSeq: undefined, id: undefined } as never;
      assert.deepEqual(await session.append(say("a"), options), { seq: 1 });
      assert.deepEqual(await session.append(say("a"), options), { seq: 2 });
    },
  },
  {
    title: "a refused append leaves the session as it was, and the next one goes on",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      await rejectsWith("MESSAGE_INVALID", session.append({ role: "user", content: 5 } as never));
      await rejectsWith("SEQ_CONFLICT", session.append(say("no"), { expectedSeq: 7 }));
      assert.deepEqual(await session.append(say("b")), { seq: 2 });
      assert.deepEqual(await view(session), ["a", "b"]);
    },
  },
  {
    title: "two thousand single appends",
    needs: ["flatAppend"],
    run: async ({ store }) => {
      const session = store.session("s");
      const contents = Array.from({ length: 2000 }, (_, index) => `message ${index}`);
      await Promise.all(contents.map(async (content) => await session.append(say(content))));
      assert.equal(await seqOf(session), 2000);
      assert.equal(await countOf(session), 2000);
      assert.deepEqual(await view(session), contents);
    },
  },
];
