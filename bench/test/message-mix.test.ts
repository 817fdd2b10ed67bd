import { expect, test } from "vitest";
import { hasRareWord, messageAt, messagesOf, RARE_WORD, sessionKey, sessionNumber } from "../message-mix.ts";

test("a message follows from its two numbers alone", () => {
  expect(messageAt(3, 17)).toEqual(messageAt(3, 17));
  expect(messageAt(3, 17).content).not.toBe(messageAt(4, 17).content);
  expect(messageAt(3, 17).content).not.toBe(messageAt(3, 21).content);
});

test("the mix has its roles, lengths and fields, and its mean line", () => {
  const messages = messagesOf(1, 0, 400);
  expect(messages.slice(0, 4).map(({ role, content }) => [role, content.length])).toEqual([
    ["user", 200],
    ["assistant", 1300],
    ["tool", 3900],
    ["assistant", 1450],
  ]);
  expect(messages[2]?.tool_call_id).toBe(messages[1]?.tool_calls?.[0]?.id);
  expect(messages[0]?.content).not.toContain("\n");
  expect(messages[1]?.content).toContain("\n");
  expect(messages.some(({ content }) => content.includes('"'))).toBe(true);
  const bytes = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  expect(bytes / messages.length).toBeGreaterThan(1800);
  expect(bytes / messages.length).toBeLessThan(1920);
});

test("the rare word is in one message of every hundredth session and nowhere else", () => {
  const holding = Array.from({ length: 210 }, (_, session) => session).filter((session) =>
    messagesOf(session, 0, 8).some(({ content }) => content.includes(RARE_WORD)),
  );
  expect(holding).toEqual([7, 107, 207]);
  expect(holding.every(hasRareWord)).toBe(true);
});

test("a key has the number of its session", () => {
  expect(sessionKey(123)).toBe("agent-main-chat-000123");
  expect(sessionNumber(sessionKey(123))).toBe(123);
});
