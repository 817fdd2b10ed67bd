import { memoryBackend, openStore } from "@longhand/store";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeOfKey, sessionKeyOf, type ChatPlace } from "../../src/channels/session-key.ts";

/** Values that somebody would choose to be taken for somebody else. */
const piece = fc.constantFrom(
  ...[
    "/",
    ":",
    "%",
    "%2f",
    "%25",
    "%u",
    "%ud800",
    "~",
    "chat:",
    "/from:",
    "/thread:",
    "account:",
    "default",
    " ",
    "\0",
  ],
  ...[
    "\n",
    "\ud800",
    "\udc00",
    "\ud83d\ude00",
    "é",
    "e\u0301",
    "A",
    "a",
    "1",
    "..",
    "\\",
    '"',
    "[",
    "\u2028",
    "\u007f",
  ],
);
const value = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
const place: fc.Arbitrary<ChatPlace> = fc.record(
  { channel: value, account: value, chat: value, thread: value, sender: value },
  { requiredKeys: ["channel", "chat", "sender"] },
);

/** Every place whose fields are among these: each way of joining that we know to be wrong mixes two of them. */
function* hostilePlaces(): Generator<ChatPlace> {
  const values = ["a", "A", "/", "b/a", "%2f", "\ud800", "\udc00", "a/chat:a", "a/from:a"];
  const orNone = [...values.map((one) => [one]), []];
  for (const channel of values)
    for (const chat of values)
      for (const sender of values)
        for (const [account] of orNone)
          for (const [thread] of orNone) {
            yield {
              channel,
              ...(account === undefined ? {} : { account }),
              chat,
              ...(thread === undefined ? {} : { thread }),
              sender,
            };
          }
}

/** How many places share the key of one that came before. */
function countMixed(keyOf: (place: ChatPlace) => string): number {
  const keys = new Set<string>();
  let places = 0;
  for (const one of hostilePlaces()) {
    places += 1;
    keys.add(keyOf(one));
  }
  expect(places).toBe(9 ** 3 * 10 ** 2);
  return places - keys.size;
}

describe("sessionKeyOf", () => {
  test("is readable", () => {
    const where = { channel: "telegram", account: "shop", chat: "-100123", thread: "7", sender: "42" };
    expect(sessionKeyOf(where)).toBe("telegram/account:shop/chat:-100123/thread:7/from:42");
    expect(sessionKeyOf({ channel: "e-mail", chat: "Ann/Ümit 50%", sender: "ann@example.org" })).toBe(
      "e-mail/chat:Ann%2fÜmit 50%25/from:ann@example.org",
    );
  });

  test("gives two places two keys, whatever is in them", () => {
    expect(countMixed(sessionKeyOf)).toBe(0);
  });

  test.each<[string, (place: ChatPlace) => string]>([
    [
      "joins without escaping",
      (one) => [one.channel, one.account, one.chat, one.thread, one.sender].join("/"),
    ],
    ["leaves out which field it is", (one) => JSON.stringify(Object.values(one))],
    ["forgets the sender", (one) => sessionKeyOf({ ...one, sender: "x" })],
    [
      "does not tell halves of surrogates apart",
      (one) => sessionKeyOf(one).replaceAll(/%ud[8-f]../g, "\ufffd"),
    ],
    ["folds case", (one) => sessionKeyOf(one).toLowerCase()],
  ])("control: one that %s is caught", (_, keyOf) => {
    expect(countMixed(keyOf)).toBeGreaterThan(0);
  });

  test("can be read back, so that a session tells whose it is", () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(placeOfKey(sessionKeyOf(one))).toEqual(one);
      }),
    );
    for (const key of [
      ...[
        "main",
        "telegram:123",
        "a/chat:1",
        "a/chat:1/from:",
        "/chat:1/from:2",
        "a/chat:1/from:2/x",
        "a/chat:1/from:%2F",
      ],
      ...["a/chat:1/from:%41", "a/thread:1/chat:1/from:2", `a/chat:${"\n".repeat(1000)}/from:b`],
    ]) {
      expect(placeOfKey(key)).toBeUndefined();
    }
  });

  test("makes keys that the store takes, each a session of its own", async () => {
    await using store = await openStore(memoryBackend());
    await fc.assert(
      fc.asyncProperty(place, async (one) => {
        const session = store.session(sessionKeyOf(one));
        await session.append({ role: "user", content: "hello" });
        expect(await session.exists()).toBe(true);
      }),
    );
  });

  test("refuses what is empty or too long, and says so", () => {
    const where = { channel: "c", chat: "x", sender: "s" };
    for (const field of ["channel", "account", "chat", "thread", "sender"]) {
      expect(() => sessionKeyOf({ ...where, [field]: "" })).toThrow(`${field} must not be empty`);
    }
    const room = 1024 - Buffer.byteLength(sessionKeyOf(where));
    expect(Buffer.byteLength(sessionKeyOf({ ...where, chat: "x".repeat(room + 1) }))).toBe(1024);
    expect(() => sessionKeyOf({ ...where, chat: "x".repeat(room + 2) })).toThrow("1025 bytes");
    expect(() => sessionKeyOf({ ...where, sender: "/".repeat(1000) })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});
