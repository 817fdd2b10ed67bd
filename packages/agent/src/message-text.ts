import type { ContentPart, Message } from "@longhand/store";

/** The text of a message. Pictures, files and what else is no text are left out, or told in the words that `instead` has for them. */
export function messageText(
  content: Message["content"],
  instead: (part: ContentPart) => string = () => "",
): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" && typeof part["text"] === "string" ? part["text"] : instead(part)))
    .filter((text) => text !== "")
    .join("\n");
}
