import { describe, expect, test } from "vitest";
import { parseMessageLines } from "../../src/import/message-lines.ts";

const contents = (input: string): unknown => parseMessageLines(input, "user")?.map(({ message }) => message);

test("a reason is given once", () => {
  const input = '{"role":"user","content":"x"}\n{"a":tru}';
  expect(() => parseMessageLines(input, "user")).toThrow(
    /^line 2 of standard input is not valid JSON: (?!.*is not valid JSON)/,
  );
});

describe("standard input of append", () => {
  test.each([
    ["plain text", "remember the milk\nand the bread"],
    ["a JSON document over several lines", '{\n  "role": "user",\n  "content": "x"\n}'],
    ["text with a JSON line in it", 'Example:\n{"role":"user","content":"x"}'],
    ["text that begins with a brace", "{ what is this?\nmore"],
    ["a JSON array", '[{"role":"user","content":"x"}]'],
    ["nothing", ""],
  ])("%s is one text", (_name, input) => {
    expect(parseMessageLines(input, "user")).toBeUndefined();
  });

  test("messages and records are messages; a line without a role has the given one; blank lines are skipped", () => {
    const input = [
      '{"role":"assistant","content":"a","toolCalls":[]}',
      "",
      '{"content":"b"}\r',
      '{"seq":4,"at":"2026-11-15T19:24:12.123Z","message":{"role":"tool","toolCallId":"1","content":"c"}}',
      "",
    ].join("\n");
    expect(contents(input)).toEqual([
      { role: "assistant", content: "a", toolCalls: [] },
      { role: "user", content: "b" },
      { role: "tool", toolCallId: "1", content: "c" },
    ]);
    expect(parseMessageLines(input, "user")?.map(({ line }) => line)).toEqual([1, 3, 4]);
    expect(contents('{"role":"user","content":"alone"}')).toEqual([{ role: "user", content: "alone" }]);
  });

  const good = '{"role":"user","content":"x"}';
  test.each([
    [`${good}\n{"role":"user","content":`, 2, "is not valid JSON"],
    [`{"role":"user"\n${good}`, 1, "is not valid JSON"],
    [`${good}\n\nsome words\n${good}`, 3, "is not valid JSON"],
    ['{"foo":1}', 1, 'neither "role" nor "content"'],
    ['{"level":"info"}\n{"level":"warn"}', 1, "longhand append KEY TEXT"],
    [`${good}\n7`, 2, "is not a JSON object"],
    [`${good}\n{"level":"info"}`, 2, 'not a message: it has neither "role" nor "content"'],
    [`${good}\n{"seq":2,"op":"summary","summary":"s"}`, 2, "longhand import FILE"],
    [`${good}\n{"seq":2,"message":{"role":"user","content":"y"},"live":false}`, 2, "longhand import FILE"],
  ])("%j is refused and the line named", (input, line, reason) => {
    const attempt = (): unknown => parseMessageLines(input, "user");
    expect(attempt).toThrow(expect.objectContaining({ code: "INPUT_INVALID", detail: { line } }));
    expect(attempt).toThrow(new RegExp(`^line ${line} of standard input .*${reason}.*nothing was written`));
  });
});
