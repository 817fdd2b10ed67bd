import fc from "fast-check";
import { expect, test } from "vitest";
import { salvageLine } from "../../src/format/salvage-lines.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { entriesOf, linesOf, message, SAMPLE, SESSION_ID } from "../support/sample-log.ts";

const LINES = linesOf(SAMPLE).map((line) => line.subarray(0, -1));

function pieces(content: Buffer): { good: Buffer[]; all: Buffer[] } {
  const line = { offset: 1000, content, bytes: content.length + 1, terminated: true };
  const found = salvageLine(line, SESSION_ID);
  for (const { offset, content: piece, bytes } of found) {
    if (found.length === 1 && bytes === line.bytes) continue;
    expect(content.subarray(offset - 1000, offset - 1000 + bytes).equals(piece ?? Buffer.alloc(0))).toBe(
      true,
    );
  }
  const all = found.map(({ content: piece }) => piece ?? Buffer.alloc(0));
  return { all, good: all.filter((piece) => decodeLine(piece, SESSION_ID).kind !== "bad") };
}

test("a good line and a line with nothing good in it stay as they are", () => {
  expect(pieces(LINES[0] ?? Buffer.alloc(0)).all).toEqual([LINES[0]]);
  const noise = Buffer.from('{"seq":1,"at":"nothing of ours"}');
  expect(pieces(noise).all).toEqual([noise]);
});

test("whole records glued together in any way are all found", () => {
  const junk = fc.constantFrom("", "\0", "x", "\0".repeat(50), '{"seq":7,"at":"2026', ',"crc":"00000000"}');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(junk, fc.nat(LINES.length - 1)), { minLength: 2, maxLength: 6 }),
      (parts) => {
        const lines = parts.map(([, index]) => LINES[index] ?? Buffer.alloc(0));
        const content = Buffer.concat(
          parts.flatMap(([rest], index) => [Buffer.from(rest), lines[index] ?? Buffer.alloc(0)]),
        );
        expect(pieces(content).good).toEqual(lines);
      },
    ),
  );
});

test("a record that quotes records is one record", () => {
  const quoted = message(LINES.map(String).join(""));
  const [line = Buffer.alloc(0)] = linesOf(entriesOf(quoted));
  const content = line.subarray(0, -1);
  expect(pieces(Buffer.concat([content, Buffer.from("x"), LINES[0] ?? Buffer.alloc(0)])).good).toEqual([
    content,
    LINES[0],
  ]);
});

test("a line full of beginnings and ends takes no time that grows with their square", () => {
  const content = Buffer.from('{"seq":1,"at":"x","crc":"00000000"}'.repeat(20_000));
  expect(pieces(content).good).toEqual([]);
});
