/** One line of another program's file, whole, glued, torn. */

import { expect, test } from "vitest";
import { splitLine } from "../../src/migrate/split-line.ts";

const user = '{"role":"user","content":"a"}';

function split(line: string | Buffer): unknown[] {
  return splitLine(Buffer.from(line)).map((piece) =>
    piece.kind === "object" ? piece.value["content"] : [piece.reason, piece.offset, piece.bytes],
  );
}

test.each<[string, string | Buffer, unknown[]]>([
  ["an empty line", "", []],
  ["an empty line of another system", "\r", []],
  ["one object", user, ["a"]],
  ["with a mark and a CR", `\ufeff${user}\r`, ["a"]],
  ["two objects", user + user, ["a", "a"]],
  ["two with a space between", `${user} ${user}`, ["a", "a"]],
  ["a torn one, then a whole one", `{"role":"user","content":"he${user}`, [["not valid JSON", 0, 28], "a"]],
  ["a whole one, then a torn one", `${user}{"role":"us`, ["a", ["not valid JSON", 29, 11]]],
  [
    "a torn one that quotes a message",
    JSON.stringify({ role: "user", content: user }).slice(0, -4),
    [["not valid JSON", 0, 61]],
  ],
  ["a message within something else that is torn", `{"x[2:${user},"y":"z"}`, [["not valid JSON", 0, 44]]],
  ["NULs before and behind", `\0\0${user}\0`, [["NUL bytes", 0, 2], "a", ["NUL bytes", 31, 1]]],
  ["NULs only", "\0\0\0", [["filled with NUL bytes", 0, 3]]],
  ["bad bytes", Buffer.from([0x7b, 0xff, 0x7d]), [["not valid UTF-8", 0, 3]]],
  ["a number", "17", [["not an object", 0, 2]]],
])("%s", (_what, line, expected) => {
  expect(split(line)).toEqual(expected);
});

test("a line of nothing but beginnings ends", () => {
  expect(splitLine(Buffer.from('{"role":'.repeat(5000)))).toHaveLength(1);
});
