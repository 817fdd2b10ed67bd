import { expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { readLines } from "../../src/models/read-lines.ts";

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
    await Promise.resolve();
  }
}
const linesOf = async (text: string, size: number, longest?: number): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const line of readLines(inPieces(Buffer.from(text), size), longest))
    lines.push(line.isWhole ? line.text : `${line.text} (cut)`);
  return lines;
};

test.each([
  ["a\nb\n", ["a", "b"]],
  ["a\r\nb\r\n", ["a", "b"]],
  ["a\rb\r", ["a", "b"]],
  ["a\r\n\nb", ["a", "", "b (cut)"]],
  ["a\r\r\n\n\rb\n", ["a", "", "", "", "b"]],
  ["ü\n世界👋\n", ["ü", "世界👋"]],
  ["", []],
])("%j, however it is cut into pieces", async (text, lines) => {
  for (const size of [1, 2, 3, 100]) expect(await linesOf(text, size)).toEqual(lines);
});

test("a line that never ends is an error before it has taken all memory", async () => {
  const error: unknown = await linesOf("x".repeat(1000), 10, 500).catch((thrown: unknown) => thrown);
  expect(isAgentError(error, "MODEL_BROKEN")).toBe(true);
  expect(await linesOf("x".repeat(400), 10, 500)).toHaveLength(1);
});
