/**
 * A hash of 64 bits: two halves, each mixed on its own from the same input. It tells contents apart that differ by
 * chance; somebody who means to could make two that look the same. Fast, since a simulation asks for millions.
 */

export interface Hash64 {
  readonly low: number;
  readonly high: number;
}

const LOW_SEED = 0x243f6a88;
const HIGH_SEED = 0x13198a2e;

/** Odd, and without any relation to each other; so are the shifts. */
const LOW_FACTORS = [0xcc9e2d51, 0x85ebca6b, 0xc2b2ae35] as const;
const HIGH_FACTORS = [0x9e3779b1, 0x7feb352d, 0x846ca68b] as const;

export const NO_HASH: Hash64 = { low: LOW_SEED, high: HIGH_SEED };

/** Of the first `length` bytes. */
export function hashOfBytes(bytes: Buffer, length: number): Hash64 {
  let low = LOW_SEED ^ length;
  let high = HIGH_SEED ^ length;
  const whole = length - (length % 4);
  for (let at = 0; at < whole; at += 4) {
    const word = bytes.readInt32LE(at);
    low = stepLow(low, word);
    high = stepHigh(high, word);
  }
  for (let at = whole; at < length; at += 1) {
    low = stepLow(low, bytes[at] ?? 0);
    high = stepHigh(high, bytes[at] ?? 0);
  }
  return { low: endLow(low), high: endHigh(high) };
}

/** Goes on from `hash` with whole numbers of 32 bits. */
export function mixed(hash: Hash64, ...numbers: readonly number[]): Hash64 {
  let { low, high } = hash;
  for (const number of numbers) {
    low = stepLow(low, number);
    high = stepHigh(high, number);
  }
  return { low: endLow(low), high: endHigh(high) };
}

export function asBigInt({ low, high }: Hash64): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

function stepLow(hash: number, word: number): number {
  const flipped = Math.imul(word, LOW_FACTORS[0]);
  const next = hash ^ Math.imul((flipped << 15) | (flipped >>> 17), 0x1b873593);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0x3c6ef372) | 0;
}

function stepHigh(hash: number, word: number): number {
  const flipped = Math.imul(word, HIGH_FACTORS[0]);
  const next = hash ^ Math.imul((flipped << 11) | (flipped >>> 21), 0x2c1b3c6d);
  return (Math.imul((next << 17) | (next >>> 15), 9) + 0x52dce729) | 0;
}

function endLow(hash: number): number {
  let end = Math.imul(hash ^ (hash >>> 16), LOW_FACTORS[1]);
  end = Math.imul(end ^ (end >>> 13), LOW_FACTORS[2]);
  return end ^ (end >>> 16);
}

function endHigh(hash: number): number {
  let end = Math.imul(hash ^ (hash >>> 15), HIGH_FACTORS[1]);
  end = Math.imul(end ^ (end >>> 14), HIGH_FACTORS[2]);
  return end ^ (end >>> 16);
}
