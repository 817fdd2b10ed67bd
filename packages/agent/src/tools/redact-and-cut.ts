/**
 * Both ends of a text that is too long, with no piece of a secret at the cut. Secrets are hidden before it is cut, since half of
 * one is not recognised. Where the text was cut by others already, the last half is still there as it was: that much is left out.
 */

import { afterCharacter, beforeCharacter } from "./cap-result.ts";
import { decodeText } from "./visible-text.ts";

export type Redact = (text: string) => string;

/** In bytes, in whatever form: of a longer one a piece may be seen. Keys have some hundred. */
export const LONGEST_SECRET = 8192;

/** What to show of bytes whose continuation is not known: at most `maxBytes`, and all but the last LONGEST_SECRET. */
export function redactedStart(bytes: Uint8Array, maxBytes: number, redact: Redact = asItIs): Buffer {
  const text = redacted(bytes, redact);
  return startOf(text, Math.min(maxBytes, text.length - LONGEST_SECRET));
}

/** The same where it is not known what came before. */
export function redactedEnd(bytes: Uint8Array, maxBytes: number, redact: Redact = asItIs): Buffer {
  const text = redacted(bytes, redact);
  return endOf(text, Math.min(maxBytes, text.length - LONGEST_SECRET));
}

/** UTF-8, whatever the bytes were. */
export function redacted(bytes: Uint8Array, redact: Redact = asItIs): Buffer {
  return Buffer.from(redact(decodeText(bytes)));
}

/** On a whole character, like `endOf`. */
export function startOf(text: Buffer, bytes: number): Buffer {
  return text.subarray(0, beforeCharacter(text, Math.max(0, bytes)));
}

export function endOf(text: Buffer, bytes: number): Buffer {
  return text.subarray(afterCharacter(text, text.length - Math.max(0, bytes)));
}

function asItIs(text: string): string {
  return text;
}
