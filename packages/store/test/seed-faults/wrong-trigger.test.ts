/** Seed fault 13: errors that only sound like a full context window cost the user half of the conversation. */

import { describe, expect, test } from "vitest";
import { contextOverflow } from "../../src/context/overflow/overflow.ts";
import { NOT_OVERFLOWS } from "../context/samples/not-overflows.ts";

/** As the seed decides: any of these anywhere in the text, in lower case. */
const SEED_WORDS = [
  "context_length_exceeded",
  "context window",
  "context_window",
  "maximum context length",
  "token limit",
  "too many tokens",
  "max_tokens",
  "invalidparameter",
  "prompt is too long",
  "request too large",
];

function seedDecides(error: unknown): boolean {
  const text = (error instanceof Error ? error.message : JSON.stringify(error)).toLowerCase();
  return SEED_WORDS.some((word) => text.includes(word));
}

describe("seed fault 13: a provider's error about something else triggers compression", () => {
  test("what the seed takes for a full window is not taken for one here", () => {
    const mistaken = NOT_OVERFLOWS.filter(([, error]) => seedDecides(error));
    // The control: the seed's rule does fall for these.
    expect(mistaken.length).toBeGreaterThanOrEqual(8);
    for (const [what, error] of mistaken) expect([what, contextOverflow(error)]).toEqual([what, undefined]);
  });

  test.each([
    "InvalidParameter",
    "max_tokens",
    "InvalidParameter: max_tokens",
    "error with max_tokens in it",
  ])("%s alone", (text) => {
    expect(seedDecides(new Error(text))).toBe(true);
    expect(contextOverflow(new Error(text))).toBeUndefined();
  });

  test("control: a window that is really full is recognised by both", () => {
    const error = new Error(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    );
    expect(seedDecides(error)).toBe(true);
    expect(contextOverflow(error)).toEqual({ limit: 8192, needed: 9000 });
  });
});
