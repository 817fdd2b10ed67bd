import { expect, test } from "vitest";
import { suggestName } from "../src/suggest-name.ts";

const NAMES = ["read_file", "write_file", "exec", "max_steps"];

test.each([
  ["ReadFile", "read_file"],
  ["read-file", "read_file"],
  ["maxSteps", "max_steps"],
  ["write_fiel", "write_file"],
  ["exce", "exec"],
  ["exe", "exec"],
])("%s is meant as %s", (given, meant) => {
  expect(suggestName(given, NAMES)).toBe(meant);
});

test.each(["", "zzzz", "eat", "x".repeat(100_000)])("%.20s is near to none", (given) => {
  expect(suggestName(given, NAMES)).toBeUndefined();
});

test("the nearest is meant, not the first that is near", () => {
  expect(suggestName("write_file", ["write_files", "write_file"])).toBe("write_file");
});
