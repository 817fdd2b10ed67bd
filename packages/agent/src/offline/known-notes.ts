/** What the memory has put into the system message: the fenced block with the label "memory" (memory.promptSection). */

import type { Message } from "@longhand/store";
import { messageText } from "../message-text.ts";

/** `undefined`: there are no notes in this request. */
export function knownNotes(messages: readonly Message[]): string | undefined {
  const system = messages.find(({ role }) => role === "system");
  if (system === undefined) return undefined;
  const lines = messageText(system.content).split("\n");
  const begin = lines.findIndex((line) => /^`{3,}memory$/.test(line));
  const fence = lines[begin]?.replace("memory", "");
  const end = lines.findIndex((line, index) => index > begin && line === fence);
  return begin === -1 || end === -1 ? undefined : lines.slice(begin + 1, end).join("\n");
}
