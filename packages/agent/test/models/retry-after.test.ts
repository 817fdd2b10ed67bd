import { expect, test } from "vitest";
import { retryAfter } from "../../src/models/retry-after.ts";

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each([
  ["2", 2000],
  ["0", 0],
  [" 1.5 ", 1500],
  ["99999999999999999999", Number.MAX_SAFE_INTEGER],
  ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ["-5", undefined],
  ["soon", undefined],
  ["Tomorrow", undefined],
  ["", undefined],
])("%j", (value, milliseconds) => {
  expect(retryAfter({ "retry-after": value }, NOW)).toBe(milliseconds);
});

test("milliseconds win over seconds, and nothing is nothing", () => {
  expect(retryAfter({ "retry-after-ms": "250", "retry-after": "1" }, NOW)).toBe(250);
  expect(retryAfter({}, NOW)).toBeUndefined();
});
