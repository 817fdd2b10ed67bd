import { expect, test } from "vitest";
import { makeRedactor } from "../../src/secrets/make-redactor.ts";

const SECRET = 'p"ss/w+rd?\\0123ü';

test.each([
  ["plain", SECRET],
  ["in a URL", `https://a.example/?key=${encodeURIComponent(SECRET)}&x=1`],
  ["in JSON", JSON.stringify({ key: SECRET })],
  ["in base64", Buffer.from(SECRET).toString("base64")],
  ["in base64 for URLs", Buffer.from(SECRET).toString("base64url")],
  ["behind a name in base64", Buffer.from(`user:${SECRET}`).toString("base64")],
  ["in the middle of base64, shifted by one", Buffer.from(`a${SECRET}bc`).toString("base64")],
  ["in the middle of base64, shifted by two", Buffer.from(`ab${SECRET}c`).toString("base64")],
])("hidden %s", (_, text) => {
  const hidden = makeRedactor([SECRET])(`before ${text} after`);
  expect(hidden).toMatch(/^before .*\[hidden\].* after$/);
  for (const form of [SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET).slice(1, -1)])
    expect(hidden).not.toContain(form);
});

test("of secrets that contain each other the longest goes whole", () => {
  expect(makeRedactor(["abcdefgh", "abcdefgh-more"])("x abcdefgh-more y abcdefgh z")).toBe(
    "x [hidden] y [hidden] z",
  );
});

test("short ones are ordinary words, and nothing to hide changes nothing", () => {
  expect(makeRedactor(["secret", "", "       "])("a secret word")).toBe("a secret word");
  expect(makeRedactor([])("text")).toBe("text");
});

test("signs that mean something in patterns mean nothing here", () => {
  expect(makeRedactor([".*.*.*.*"])("abcdefgh .*.*.*.*")).toBe("abcdefgh [hidden]");
});

test("half a character is no reason to fail", () => {
  expect(makeRedactor(["\ud800abcdefgh"])("a \ud800abcdefgh b")).toBe("a [hidden] b");
});
