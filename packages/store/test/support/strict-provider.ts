/**
 * What strict providers refuse, written down without looking at how histories are repaired: the judge of the property
 * tests. Answers with what is wrong, or `undefined`.
 */

import type { Message } from "../../src/format/message.ts";

export function refusal(messages: readonly Message[]): string | undefined {
  const used = new Set<string>();
  let open: Set<string> | undefined;
  let hasQuestion = false;
  for (const [index, message] of messages.entries()) {
    const at = `message ${index}: `;
    if (message.role === "tool") {
      const id = message.toolCallId;
      if (open === undefined || id === undefined || !open.delete(id)) return `${at}a result without a call`;
      continue;
    }
    if (open !== undefined && open.size > 0) return `${at}calls without results before it`;
    open = undefined;
    if (message.role === "system") {
      if (index > 0) return `${at}a system message in the middle`;
      if (isBlank(message)) return `${at}a blank system message`;
      continue;
    }
    if (message.role === "user") {
      hasQuestion = true;
      if (isBlank(message)) return `${at}a blank user message`;
      continue;
    }
    if (!hasQuestion) return `${at}an answer before the first question`;
    const calls = message.toolCalls ?? [];
    if (calls.length === 0 && isBlank(message)) return `${at}a blank answer`;
    open = new Set();
    for (const { id } of calls) {
      if (id === "") return `${at}a call without an id`;
      if (used.has(id)) return `${at}the id ${id} for the second time`;
      used.add(id);
      open.add(id);
    }
  }
  return open !== undefined && open.size > 0 ? "calls without results at the end" : undefined;
}

function isBlank({ content }: Message): boolean {
  if (typeof content === "string") return !/\S/.test(content);
  for (const part of content) {
    if (part.type !== "text") return false;
    if ("text" in part && /\S/.test(String(part.text))) return false;
  }
  return true;
}
