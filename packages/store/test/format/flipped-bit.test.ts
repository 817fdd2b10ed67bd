import { expect, test } from "vitest";
import { checksum } from "../../src/format/checksum.ts";
import { findFlippedBit } from "../../src/format/flipped-bit.ts";

const BYTES = Buffer.from("every bit of this line, whatever it is salted with");
const SUM = checksum("salt", BYTES);

test("each bit that was turned is found by the sum that the bytes should have", () => {
  for (let index = 0; index < BYTES.length; index++) {
    for (let mask = 1; mask < 256; mask *= 2) {
      const flipped = Buffer.from(BYTES);
      flipped[index] = (flipped[index] ?? 0) ^ mask;
      expect(findFlippedBit(flipped.length, checksum("salt", flipped), SUM)).toEqual({ index, mask });
    }
  }
});

test("two bits are not taken for one, nor none", () => {
  const flipped = Buffer.from(BYTES);
  flipped[3] = (flipped[3] ?? 0) ^ 1;
  flipped[30] = (flipped[30] ?? 0) ^ 4;
  expect(findFlippedBit(flipped.length, checksum("salt", flipped), SUM)).toBeUndefined();
  expect(findFlippedBit(BYTES.length, SUM, SUM)).toBeUndefined();
});
