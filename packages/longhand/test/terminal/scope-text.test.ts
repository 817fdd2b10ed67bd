import { expect, test } from "vitest";
import { formatScope, parseScope } from "../../src/terminal/scope-text.ts";

test.each([
  {},
  { user: "ann" },
  { user: "ann", channel: "web", agent: "helper" },
  { user: "ann,channel=web" },
  { channel: 'a "quoted" \\ name', agent: "a=b" },
  { user: "global" },
  { user: " spaces " },
  { user: "a\u001b[2J\u200b\u{e0041}\n" },
])("%j is read as it is written", (scope) => {
  expect(parseScope(formatScope(scope))).toEqual(scope);
});

test("two scopes never look the same", () => {
  const scopes = [
    { user: "a", channel: "b" },
    { user: "a,channel=b" },
    { user: 'a",channel="b' },
    { user: "a\u200b" },
    { user: "a\\u200b" },
    { user: "a" },
    {},
    { user: "global" },
  ];
  expect(new Set(scopes.map(formatScope)).size).toBe(scopes.length);
});

test.each([
  "",
  "ann",
  "user",
  "user=",
  "user=a,",
  "user=a,user=b",
  "role=a",
  'user="a',
  "user=a;b,x",
  'user=""',
])("%j is no scope", (text) => {
  expect(() => parseScope(text)).toThrow("user=ann");
});
