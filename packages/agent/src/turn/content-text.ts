import type { Message } from "@longhand/store";

/** The text of a message; what is not text is left out. */
export function contentText(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" && "text" in part ? String(part.text) : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** Whether there is more in it than white space. */
export function saysSomething(text: string): boolean {
  return /\S/.test(text);
}
