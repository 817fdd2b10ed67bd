/** Contents of messages, whether text or parts: does one say anything, and several put together as one. */

import type { ContentPart, Message } from "../format/message.ts";

type Content = Message["content"];

export const SECTION_RULE = "\n\n---\n\n";

/** White space alone is nothing: strict providers refuse it. A part that is no text says something. */
export function saysNothing(content: Content): boolean {
  if (typeof content === "string") return content.trim() === "";
  return content.every((part) => isTextPart(part) && part.text.trim() === "");
}

export function isTextPart(part: ContentPart): part is { readonly type: "text"; readonly text: string } {
  return part.type === "text" && "text" in part && typeof part.text === "string";
}

/** With a rule between them. Text if all are text; otherwise parts. */
export function joinContents(contents: readonly Content[]): Content {
  if (contents.every((content) => typeof content === "string")) return contents.join(SECTION_RULE);
  const parts: ContentPart[] = [];
  for (const content of contents) {
    if (parts.length > 0) parts.push({ type: "text", text: SECTION_RULE });
    if (typeof content === "string") parts.push({ type: "text", text: content });
    else parts.push(...content);
  }
  return parts;
}
