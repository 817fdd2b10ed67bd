/** A message comes back deep-equal to what was appended, or it is refused and nothing is written. */

import assert from "node:assert/strict";
import type { Message } from "../../format/message.ts";
import type { Session } from "../../contract/types.ts";
import { rejectsWith, say, seqOf } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

function holding(value: unknown): Message {
  return { role: "user", content: "x", extra: value } as Message;
}

async function comesBack(session: Session, message: Message, as: Message = message): Promise<void> {
  await session.append(message);
  assert.deepEqual((await session.messages({ last: 1 }))[0], as);
}

const TEXTS: Readonly<Record<string, string>> = {
  "an empty text": "",
  "line breaks of every kind": "a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fi",
  "control characters and NUL": Array.from({ length: 33 }, (_, code) => String.fromCharCode(code)).join(""),
  "a byte order mark": "\ufeffstart and \ufeff middle",
  "half a surrogate pair": "\ud83d and \ude42 and \ude42\ud83d",
  "letters of many scripts": "Grüße, 日本語, مرحبا, 🙂👩‍👩‍👧, e\u0301",
  "JSON inside": '{"seq":1,"crc":"00000000"}\n{"seq":2}',
  "quotes and backslashes": '\\"\\\\"/\\u0041\\n',
  "a megabyte": "0123456789abcdef".repeat(65_536),
};

const texts = Object.entries(TEXTS).map(([title, text]): ConformanceCase => ({
  title: `${title} comes back exactly`,
  run: async ({ store }) => {
    const session = store.session("s");
    await comesBack(session, say(text));
    await comesBack(session, { role: "user", content: [{ type: "text", text }], [text.slice(0, 50)]: text });
    assert.equal(await seqOf(session), 2);
  },
}));

export const messageValuesCases: readonly ConformanceCase[] = [
  ...texts,
  {
    title: "numbers come back exactly, but for the sign of zero",
    run: async ({ store }) => {
      const session = store.session("s");
      const numbers = [
        0,
        1,
        -1,
        0.1,
        1e21,
        1e-7,
        2 ** 53 - 1,
        2 ** 53 + 2,
        Number.MAX_VALUE,
        Number.MIN_VALUE,
      ];
      await comesBack(session, holding(numbers));
      await comesBack(session, holding(-0), holding(0));
    },
  },
  {
    title: "unknown fields and shapes come back, in the order they had",
    run: async ({ store }) => {
      const session = store.session("s");
      const message = holding({ z: null, a: [[], {}, [{ deep: [true, false, null] }]], "": "", "a b": 1 });
      await comesBack(session, message);
      const [kept] = await session.messages();
      assert.equal(JSON.stringify(kept), JSON.stringify(message));
    },
  },
  {
    title: "a property called __proto__ is data",
    run: async ({ store }) => {
      const session = store.session("s");
      const hostile: object = {};
      Object.defineProperty(hostile, "__proto__", { value: { polluted: true }, enumerable: true });
      await session.append(holding(hostile));
      const [kept] = await session.messages();
      const { extra } = kept as unknown as { extra: object };
      assert.deepEqual(Object.keys(extra), ["__proto__"]);
      assert.equal("polluted" in {}, false);
      assert.equal((extra as { polluted?: boolean }).polluted, undefined);
    },
  },
  {
    title: "a property that is undefined is left out",
    run: async ({ store }) => {
      await comesBack(store.session("s"), holding(undefined), say("x"));
      await comesBack(store.session("s"), holding({ a: undefined, b: 1 }), holding({ b: 1 }));
    },
  },
  {
    title: "what JSON would change in silence is MESSAGE_INVALID",
    run: async ({ store }) => {
      const session = store.session("s");
      const circle: { self?: unknown } = {};
      circle.self = circle;
      let deep: unknown = 1;
      for (let level = 0; level < 10_000; level++) deep = [deep];
      const throws = {
        toJSON: () => {
          throw new Error("no");
        },
      };
      class Thing {
        readonly x = 1;
      }
      const values: readonly unknown[] = [
        ...[
          Number.NaN,
          Infinity,
          -Infinity,
          1n,
          Symbol("x"),
          () => 1,
          circle,
          deep,
          [undefined],
          new Array(2),
        ],
        ...[new Date(0), new Map([[1, 2]]), new Set([1]), /x/, Buffer.from("x"), new Uint8Array(2)],
        ...[new Error("x"), throws, new Thing(), { [Symbol("x")]: 1 }, Promise.resolve(1)],
      ];
      for (const value of values) {
        await rejectsWith("MESSAGE_INVALID", session.append(holding(value)));
        await rejectsWith("MESSAGE_INVALID", session.append(holding([{ deeper: value }])));
      }
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "what is no message is MESSAGE_INVALID",
    run: async ({ store }) => {
      const session = store.session("s");
      const wrong: unknown[] = [
        ...[undefined, null, "text", 5, true, new Map(), {}, { role: "user" }, { content: "x" }],
        { role: "robot", content: "x" },
        { role: "user", content: null },
        { role: "user", content: { type: "text" } },
        { role: "user", content: ["text"] },
        { role: "user", content: [{ text: "no type" }] },
        { role: "user", content: "x", name: 5 },
        { role: "assistant", content: "x", toolCalls: {} },
        { role: "assistant", content: "x", toolCalls: [{ id: 1, name: "a", arguments: {} }] },
        { role: "assistant", content: "x", toolCalls: [{ id: "1", arguments: {} }] },
        { role: "assistant", content: "x", toolCalls: [{ id: "1", name: "a" }] },
        { role: "tool", content: "x", toolCallId: 7 },
        { role: "tool", content: "x", isError: "yes" },
        { role: "assistant", content: "x", usage: 12 },
      ];
      for (const value of wrong) {
        await rejectsWith("MESSAGE_INVALID", session.append(value as Message));
        await rejectsWith("MESSAGE_INVALID", session.append([say("good"), value as Message]));
        await rejectsWith("MESSAGE_INVALID", session.replace([value as Message]));
      }
      assert.equal(await session.exists(), false);
    },
  },
  {
    title: "more than 64 MiB is MESSAGE_TOO_LARGE, and the store goes on",
    run: async ({ store }) => {
      const session = store.session("s");
      await rejectsWith("MESSAGE_TOO_LARGE", session.append(say("x".repeat(64 * 1024 * 1024))));
      assert.equal(await session.exists(), false);
      await comesBack(session, say("small"));
    },
  },
  {
    title: "each property is read once",
    run: async ({ store }) => {
      const session = store.session("s");
      let reads = 0;
      const counting = { role: "user", content: "x" } as Message;
      Object.defineProperty(counting, "extra", { enumerable: true, get: () => ++reads });
      await session.append(counting);
      assert.equal(reads, 1);
      assert.deepEqual(await session.messages(), [holding(1)]);
    },
  },
];
