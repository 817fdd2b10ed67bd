/** A conversation as plain text, for a model that is to summarise it or to remember something of it. */

import type { ContentPart, Message } from "../format/message.ts";
import { shortenMiddle } from "./shorten-middle.ts";

/** One message as lines. `limit`: in characters, for each text in it; tool results belong to it like everything else. */
export function transcriptOf(message: Message, limit: number): string {
  const lines = [`${speaker(message)}: ${shorten(textOf(message), limit)}`];
  for (const { name, arguments: given } of message.toolCalls ?? [])
    lines.push(`${speaker(message)} called ${name}: ${shorten(JSON.stringify(given), limit)}`);
  return lines.join("\n");
}

/** What is said in it; of images and files only that they are there. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map(partText).join("\n");
}

function partText(part: ContentPart): string {
  if ("text" in part && typeof part.text === "string") return part.text;
  const name = "name" in part && typeof part.name === "string" ? ` ${part.name}` : "";
  return `[${part.type}${name}]`;
}

function speaker({ role, name, isError }: Message): string {
  const who = name === undefined ? "" : ` (${name})`;
  switch (role) {
    case "user":
      return `USER${who}`;
    case "assistant":
      return `ASSISTANT${who}`;
    case "system":
      return "SYSTEM";
    case "tool":
      return `${isError === true ? "FAILED RESULT" : "RESULT"}${who}`;
  }
}

function shorten(text: string, limit: number): string {
  return shortenMiddle(text, limit, (left) => ` [… ${left} characters left out …] `);
}
