/** A header in which one bit was turned is known by its checksum, whichever bit it is; two are too many. */

import { expect, test } from "vitest";
import { findHeader } from "../../src/engine/verify/find-header.ts";
import { encodeHeader, firstHeader } from "../../src/format/header.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { toId } from "../../src/format/session-id.ts";

const KEY = "user:é";
const HEADER = firstHeader({
  key: KEY,
  id: toId("01JCW0000000000000000000AB"),
  at: "2026-11-15T19:24:12.123Z",
});
const LINE = encodeHeader(HEADER);
const FILE = { name: fileNameOf(KEY), status: "active" } as const;

/** Nothing but this line; no record stands behind it that could prove more. */
async function find(line: Buffer): ReturnType<typeof findHeader> {
  const source = {
    size: line.length,
    read: async (into: Buffer, position: number) =>
      await Promise.resolve(line.subarray(position, position + into.length).copy(into)),
  };
  return await findHeader(source, FILE, async () => await Promise.resolve(false));
}

function flipped(line: Buffer, ...bits: readonly number[]): Buffer {
  const copy = Buffer.from(line);
  for (const bit of bits) copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

test.each([
  ["as it was written", LINE],
  ["ended by an editor with \\r\\n", Buffer.concat([LINE.subarray(0, -1), Buffer.from("\r\n")])],
])("%s, with any one bit turned", async (_, line) => {
  const lost: number[] = [];
  const bits = (LINE.length - 1) * 8;
  for (let bit = 0; bit < bits; bit += 1) {
    const found = await find(flipped(line, bit));
    if (found.kind !== "header") lost.push(bit);
    else expect(found.header).toEqual(HEADER);
  }
  expect(lost).toEqual([]);
});

test("with two bits turned it is nobody's", async () => {
  const bits = (LINE.length - 1) * 8;
  for (let bit = 0; bit < bits; bit += 37) {
    const other = (bit + 101) % bits;
    expect((await find(flipped(LINE, bit, other))).kind, `bits ${bit} and ${other}`).not.toBe("header");
  }
});
