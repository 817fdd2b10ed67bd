import { describe, expect, test } from "vitest";
import { BareFileDriver } from "../candidates/bare-file.ts";
import { checkHits, checkList, checkMessages, WrongResult } from "../check-result.ts";
import { many } from "../data-set.ts";
import { messageAt, messagesOf, sessionKey, sessionTitle, type BenchMessage } from "../message-mix.ts";
import { TINY } from "../sizes.ts";

const driver = new BareFileDriver();

describe("messages", () => {
  const check = async (messages: readonly BenchMessage[]): Promise<void> =>
    await checkMessages(driver, messages, { session: 1, from: 10, count: 20 });
  const right = messagesOf(1, 10, 20);

  test("as they were written pass", async () => {
    await expect(check(right)).resolves.toBeUndefined();
  });

  test.each<[string, readonly BenchMessage[], string]>([
    ["the first is missing", right.slice(1), "message 10 of"],
    ["one in the middle is missing", right.toSpliced(7, 1), "message 17 of"],
    ["the last is missing", right.slice(0, -1), "19 messages of agent-main-chat-000001, not 20"],
    ["there is one more", [...right, messageAt(1, 30)], "21 messages"],
    ["none is there", [], "0 messages"],
    ["two are swapped", right.toSpliced(3, 2, messageAt(1, 14), messageAt(1, 13)), "message 13 of"],
    ["one letter is another", right.with(5, { ...messageAt(1, 15), content: "x" }), "message 15 of"],
    ["a field is gone", right.map(({ role, content, created_at }) => ({ role, content, created_at })), "of"],
    ["they are another session's", messagesOf(2, 10, 20), "message 10 of"],
  ])("fail when %s", async (_, messages, reason) => {
    await expect(check(messages)).rejects.toThrow(WrongResult);
    await expect(check(messages)).rejects.toThrow(reason);
  });
});

describe("a list", () => {
  const data = many(TINY);
  const right = Array.from({ length: data.sessions }, (_, session) => ({
    ...{ key: sessionKey(session), title: sessionTitle(session), count: data.messagesEach },
    updated: "2026-01-01T00:00:00.000Z",
  }));
  const [first] = right as [(typeof right)[number]];

  test("with every session passes, also with the first words instead of a title", () => {
    checkList(right, data);
    checkList(right.with(0, { ...first, title: messageAt(0, 0).content.slice(0, 40) }), data);
  });

  test.each([
    ["a session is missing", right.slice(1)],
    ["one is there twice", [...right.slice(1), ...right.slice(1, 2)]],
    ["a count is wrong", right.with(0, { ...first, count: 1 })],
    ["a title is missing", right.with(0, { ...first, title: "" })],
    ["a title is another's", right.with(0, { ...first, title: sessionTitle(3) })],
    ["a time is none", right.with(0, { ...first, updated: "today" })],
  ])("fails when %s", (_, listed) => {
    expect(() => checkList(listed, data)).toThrow(WrongResult);
  });
});

test("hits fail when one is missing, or is another message", () => {
  const data = many(TINY);
  const hit = { key: sessionKey(7), message: messageAt(7, 5) };
  checkHits(driver, [hit], data);
  expect(() => checkHits(driver, [], data)).toThrow("0 hits, not 1");
  expect(() => checkHits(driver, [{ ...hit, message: messageAt(7, 6) }], data)).toThrow(WrongResult);
  expect(() => checkHits(driver, [{ ...hit, key: sessionKey(8) }], data)).toThrow(WrongResult);
});
