/** How much of the budgets something takes. A message is measured once, however often it is asked for. */

import { LonghandError } from "../../errors.ts";
import type { Message } from "../../format/message.ts";
import type { TokenEstimator } from "../types.ts";

/** `bytes`: as JSON, with the comma or bracket beside it. */
export interface Size {
  readonly tokens: number;
  readonly bytes: number;
}

export const NOTHING: Size = { tokens: 0, bytes: 0 };

export interface Sizes {
  ofText(text: string): Size;
  ofMessage(message: Message | undefined): Size;
}

/** `correction`: what the estimate is multiplied with, as the model's reported usage tells. */
export function sizesBy(estimator: TokenEstimator, correction: number): Sizes {
  const measured = new WeakMap<Message, Size>();
  const corrected = (tokens: number): number => {
    if (Number.isFinite(tokens) && tokens >= 0) return Math.ceil(tokens * correction);
    const message = `the estimator ${JSON.stringify(estimator.name)} answered ${tokens}; it must be a number from 0 on`;
    throw new LonghandError("OPTION_INVALID", message, { option: "estimator", value: tokens });
  };
  return {
    ofText: (text) => ({ tokens: corrected(estimator.tokensOf(text)), bytes: jsonBytes(text) }),
    ofMessage: (message) => {
      if (message === undefined) return NOTHING;
      const known = measured.get(message);
      if (known !== undefined) return known;
      const size = { tokens: corrected(estimator.tokensOfMessage(message)), bytes: jsonBytes(message) + 1 };
      measured.set(message, size);
      return size;
    },
  };
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export function plus(one: Size, other: Size): Size {
  return { tokens: one.tokens + other.tokens, bytes: one.bytes + other.bytes };
}

export function minus(one: Size, other: Size): Size {
  return { tokens: one.tokens - other.tokens, bytes: one.bytes - other.bytes };
}

export function part(size: Size, share: number): Size {
  return { tokens: Math.floor(size.tokens * share), bytes: Math.floor(size.bytes * share) };
}

export function isWithin(size: Size, room: Size): boolean {
  return size.tokens <= room.tokens && size.bytes <= room.bytes;
}

/** Looks no further than it takes to know that they are too much. */
export function fitTogether(messages: Iterable<Message>, room: Size, sizes: Sizes): boolean {
  let size = NOTHING;
  if (!isWithin(size, room)) return false;
  for (const message of messages) {
    size = plus(size, sizes.ofMessage(message));
    if (!isWithin(size, room)) return false;
  }
  return true;
}

/**
 * The largest whole number from `least` to `most` that fits, if more never fits better than less; in any case one that
 * was tried. `undefined`: not even the least.
 */
export function largestThatFits(
  least: number,
  most: number,
  fits: (candidate: number) => boolean,
): number | undefined {
  if (most >= least && fits(most)) return most;
  let found: number | undefined;
  for (let low = least, high = most - 1; low <= high;) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) {
      found = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return found;
}
