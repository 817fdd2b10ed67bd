/**
 * Finding words in messages. A message matches when it holds every word of the query, whatever the case and the width
 * of letters; a word matches inside another too, so that languages without spaces are found. Any text is a query.
 */

import { isJsonObject } from "../format/json.ts";
import type { Message } from "../format/message.ts";

export interface Match {
  readonly score: number;
  readonly snippet: string;
}

const SNIPPET_BEFORE = 40;
const SNIPPET_LENGTH = 160;

export function parseQuery(query: string): readonly string[] {
  return [
    ...new Set(
      normalize(query)
        .split(/\s+/u)
        .filter((word) => word !== ""),
    ),
  ];
}

export function matchMessage(words: readonly string[], message: Message): Match | undefined {
  const text = searchableText(message);
  const normalized = normalize(text);
  let score = 0;
  for (const word of words) {
    const found = occurrences(normalized, word);
    if (found === 0) return undefined;
    // The second mention of a word says less than the first.
    score += 1 + Math.log(found);
  }
  if (words.length === 0) return undefined;
  return { score, snippet: snippetOf(text, normalized, words) };
}

/** About a message, not in it: nobody looks for them, and words like "stop" would find every answer. */
const NOT_SAID: ReadonlySet<string> = new Set([
  "role",
  "content",
  "model",
  "stopReason",
  "usage",
  "toolCallId",
]);

/** Everything a person could have read, what was said first; not the bytes of images and files. */
export function searchableText(message: Message): string {
  const parts: string[] = [];
  collect(message.content, parts);
  for (const [name, value] of Object.entries(message)) {
    if (name === "toolCalls" && Array.isArray(value)) collect(value.map(withoutId), parts);
    else if (!NOT_SAID.has(name)) collect(value, parts);
  }
  return parts.join("\n");
}

function withoutId(call: unknown): unknown {
  if (!isJsonObject(call)) return call;
  return Object.fromEntries(Object.entries(call).filter(([name]) => name !== "id"));
}

/** Without recursion: another program's message may be nested deeper than the stack is high. */
function collect(whole: unknown, parts: string[]): void {
  /** The next one last. */
  const waiting: unknown[] = [whole];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") parts.push(value);
    else if (Array.isArray(value)) for (const item of value.toReversed()) waiting.push(item);
    else if (isJsonObject(value)) for (const member of readableMembers(value).reverse()) waiting.push(member);
  }
}

function readableMembers(value: Readonly<Record<string, unknown>>): unknown[] {
  const isBinary = value["type"] === "image" || value["type"] === "file";
  return Object.entries(value)
    .filter(([name]) => name !== "type" && !(isBinary && name === "data"))
    .map(([, member]) => member);
}

function normalize(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function occurrences(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) count++;
  return count;
}

function snippetOf(text: string, normalized: string, words: readonly string[]): string {
  // Normalising seldom changes the length; where it does, the snippet may begin a little off.
  const first = Math.min(...words.map((word) => normalized.indexOf(word)));
  const start = wordStart(text, Math.max(0, Math.min(first, text.length) - SNIPPET_BEFORE), first);
  const piece = text.slice(start, start + SNIPPET_LENGTH).toWellFormed();
  const ellipsis = start + SNIPPET_LENGTH < text.length ? "…" : "";
  return (start > 0 ? "…" : "") + piece.replace(/\s+/gu, " ").trim() + ellipsis;
}

/** The next beginning of a word from `from` on, not behind the match: half a number says something else. */
function wordStart(text: string, from: number, match: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, match).search(/\s/u);
  return space === -1 ? from : from + space + 1;
}
