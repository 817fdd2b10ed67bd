import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitLines } from "../../src/channels/split-lines.ts";

const MOST = 20;
const TOO_LONG = { unusable: "the line has more than 20 bytes, which are the most" };
const NO_TEXT = { unusable: "the line is no UTF-8" };

async function collect(lines: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected: unknown[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}

async function linesOf(chunks: Iterable<Uint8Array | string>, most = MOST): Promise<unknown[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  }
  return await collect(splitLines(bytes(), most));
}

/** The same bytes in pieces of every length, so that each boundary falls in each place. */
async function inAllPieces(bytes: Uint8Array, most = MOST): Promise<unknown[]> {
  const whole = await linesOf([bytes], most);
  for (let length = 1; length < bytes.length; length += 1) {
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < bytes.length; from += length) pieces.push(bytes.subarray(from, from + length));
    expect(await linesOf(pieces, most)).toEqual(whole);
  }
  return whole;
}

describe("splitLines", () => {
  test.each<[string, string | Uint8Array, unknown[]]>([
    ["nothing is no line", "", []],
    ["a last line without its end counts", "one\ntwo", ["one", "two"]],
    ["an end behind it begins no other", "one\ntwo\n", ["one", "two"]],
    ["blank lines are lines", "\n\na\n", ["", "", "a"]],
    ["CR LF is an end, CR alone is none", "a\r\nb\rc\r\n\r\n", ["a", "b\rc", ""]],
    // Line ends elsewhere, but ordinary characters in JSON.
    ["U+2028, U+2029 and U+0085 are none", "a\u2028b\u2029c\u0085d\n", ["a\u2028b\u2029c\u0085d"]],
    ["a byte order mark is left out", "\ufeffa\n", ["a"]],
    ["as long as may be", `${"x".repeat(20)}\n${"y".repeat(20)}\r\nz`, ["x".repeat(20), "y".repeat(20), "z"]],
    ["one byte more", `${"x".repeat(21)}\nz`, [TOO_LONG, "z"]],
    ["one byte more, and CR LF", `${"x".repeat(21)}\r\nz`, [TOO_LONG, "z"]],
    ["bytes count, not characters", `${"é".repeat(11)}\nz`, [TOO_LONG, "z"]],
    ["far too long", `a\n${"x".repeat(500)}\nz\n`, ["a", TOO_LONG, "z"]],
    ["too long to the end of the input", "x".repeat(500), [TOO_LONG]],
    ["no UTF-8", Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a]), [NO_TEXT, "b"]],
    ["a character that the end cuts", Buffer.from([0xc3, 0x0a, 0xa9, 0x0a, 0x62]), [NO_TEXT, NO_TEXT, "b"]],
    ["half a surrogate pair as bytes", Buffer.from([0xed, 0xa0, 0x80, 0x0a]), [NO_TEXT]],
  ])("%s", async (_, input, expected) => {
    expect(await inAllPieces(Buffer.from(input))).toEqual(expected);
  });

  test("gives back what was joined, however it is cut", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !/[\r\n\ufeff]/u.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (lines, length) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const pieces: Uint8Array[] = [];
        for (let from = 0; from < bytes.length; from += length)
          pieces.push(bytes.subarray(from, from + length));
        expect(await linesOf(pieces, 1000)).toEqual(lines);
      }),
    );
  });

  test("tells of a line that never ends, and takes no more than was asked for", async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        taken += 1;
        yield await Promise.resolve(Buffer.from("xxxxx"));
      }
    }
    const lines = splitLines(endless(), MOST);
    expect((await lines.next()).value).toEqual(TOO_LONG);
    expect(taken).toBe(5);
  });

  test("does not hold a line that is too long", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let most = 0;
    function* gigabyte(): Generator<Uint8Array> {
      for (let count = 0; count < 1024; count += 1) {
        most = Math.max(most, process.memoryUsage().arrayBuffers);
        yield chunk;
      }
      yield Buffer.from("\nz");
    }
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const one of gigabyte()) yield await Promise.resolve(one);
    }
    const before = process.memoryUsage().arrayBuffers;
    const lines = await collect(splitLines(bytes(), 1024 * 1024));
    expect(lines).toEqual([{ unusable: expect.stringContaining("1048576") as string }, "z"]);
    expect(most - before).toBeLessThan(16 * 1024 * 1024);
  });
});
