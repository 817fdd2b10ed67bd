import { expect, test } from "vitest";
import { checksum } from "../../src/record/checksum.ts";
import { findTurnedBit } from "../../src/record/turned-bit.ts";

const BYTES = Buffer.from("every bit of this line, whatever it is salted with");
const SUM = checksum("salt", BYTES);

test("each bit that was turned is found by the sum that the bytes should have", () => {
  for (let index = 0; index < BYTES.length; index++) {
    for (let mask = 1; mask < 256; mask *= 2) {
      const turned = Buffer.from(BYTES);
      turned[index] = (turned[index] ?? 0) ^ mask;
      expect(findTurnedBit(turned.length, checksum("salt", turned), SUM)).toEqual({ index, mask });
    }
  }
});

test("two bits are not taken for one, nor none", () => {
  const turned = Buffer.from(BYTES);
  turned[3] = (turned[3] ?? 0) ^ 1;
  turned[30] = (turned[30] ?? 0) ^ 4;
  expect(findTurnedBit(turned.length, checksum("salt", turned), SUM)).toBeUndefined();
  expect(findTurnedBit(BYTES.length, SUM, SUM)).toBeUndefined();
});
