/**
 * A CRC-32 tells which single bit of some bytes was turned: the difference of two sums depends only on which bits differ
 * and how far they are from the end. Pure.
 */

const POLYNOMIAL = 0xedb88320;
/** Made by its first use: few programs ever need it. */
let table: Uint32Array | undefined;

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1;
    return sum >>> 0;
  });
}

export interface FlippedBit {
  /** Of the byte. */
  readonly index: number;
  readonly mask: number;
}

/** Both sums in hexadecimal digits, salted alike. `undefined`: no single bit makes one of the other. */
export function findFlippedBit(length: number, found: string, expected: string): FlippedBit | undefined {
  const difference = (Number.parseInt(found, 16) ^ Number.parseInt(expected, 16)) >>> 0;
  const sums = (table ??= makeTable());
  /** What each bit of the byte at `index` does to the sum. */
  const effects = Uint32Array.from({ length: 8 }, (_, bit) => sums[1 << bit] ?? 0);
  for (let index = length - 1; index >= 0; index--) {
    for (let bit = 0; bit < 8; bit++) {
      const effect = effects[bit] ?? 0;
      if (effect === difference) return { index, mask: 1 << bit };
      effects[bit] = (sums[effect & 0xff] ?? 0) ^ (effect >>> 8);
    }
  }
  return undefined;
}
