/**
 * The one form in which a tool's result reaches the model: control characters made visible, and at most so many bytes of UTF-8,
 * of which the middle goes and the place is marked. What is kept of it is the beginning and the end, since that is where
 * programs say what they do and how it went.
 */

import { visibleText } from "./visible-text.ts";

/** The answer has at most `maxBytes` bytes, the marker included, unless not even the marker fits. */
export function capResult(content: string, maxBytes: number): string {
  return cutMiddle(visibleText(content), maxBytes);
}

function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // Longest with the largest number that it could have to name.
  const room = Math.max(0, maxBytes - markCut(bytes.length).length);
  const head = beforeCharacter(bytes, Math.ceil(room / 2));
  const tail = afterCharacter(bytes, bytes.length - Math.floor(room / 2));
  const cut = markCut(tail - head);
  return `${bytes.toString("utf8", 0, head)}${cut}${bytes.toString("utf8", tail)}`;
}

/** What stands where something was left out. ASCII, so that its length is its size. */
export function markCut(bytes: number): string {
  return `\n[... ${bytes} bytes left out here ...]\n`;
}

/** The last place at or before `at` where a character begins. */
export function beforeCharacter(bytes: Uint8Array, at: number): number {
  let place = Math.min(at, bytes.length);
  while (place > 0 && isContinuation(bytes[place])) place--;
  return place;
}

/** The first place at or after `at` where a character begins. */
export function afterCharacter(bytes: Uint8Array, at: number): number {
  let place = Math.max(at, 0);
  while (place < bytes.length && isContinuation(bytes[place])) place++;
  return place;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
