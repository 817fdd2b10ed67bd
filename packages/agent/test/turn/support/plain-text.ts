import type { Message } from "@longhand/store";

/** For comparing: the text, or the parts as JSON. */
export function plainText(content: Message["content"] | undefined): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}
