import type { Message } from "@longhand/store";

/** The text of a message; pictures and files in it say nothing here. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content
    .flatMap((part) => ("text" in part && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}
