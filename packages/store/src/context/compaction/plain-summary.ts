/**
 * A summary without a model, when there is none or it failed: the summary so far, and how each message begins. The same
 * input always gives the same text, and nothing in it is invented.
 */

const SHARE = 0.1;
const AT_LEAST = 200;

/** `messages`: as in a transcript. */
export function plainSummary(earlier: string, messages: readonly string[]): string {
  const beginnings = messages.map((text) => `- ${beginningOf(text.replaceAll(/\s+/gu, " "))}`);
  return [...(earlier === "" ? [] : [earlier]), ...beginnings].join("\n");
}

function beginningOf(text: string): string {
  const limit = Math.max(AT_LEAST, Math.floor(text.length * SHARE));
  const characters = Array.from(text.slice(0, limit * 2));
  return text.length <= limit || characters.length <= limit
    ? text
    : `${characters.slice(0, limit).join("")} …`;
}
