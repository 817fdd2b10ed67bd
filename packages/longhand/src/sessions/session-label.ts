/** What a session is called in a list: its title, else the first words a person said in it. */

import type { Message, SessionInfo, Store } from "@longhand/store";
import { onOneLine } from "../terminal/escape-controls.ts";

/** A greeting by the system or the agent may come first; further in it is not a beginning any more. */
const LOOKED_AT = 5;
const ENOUGH_CHARACTERS = 200;

export async function sessionLabel(store: Store, { key, title, count }: SessionInfo): Promise<string> {
  if (title !== undefined && title !== "") return onOneLine(title);
  if (count === 0) return "";
  let first: Message | undefined;
  let looked = 0;
  for await (const message of store.session(key).iterate()) {
    first ??= message;
    if (message.role === "user") return firstWords(message);
    if (++looked === LOOKED_AT) break;
  }
  return first === undefined ? "" : firstWords(first);
}

export function firstWords(message: Message): string {
  return onOneLine(textOf(message).slice(0, ENOUGH_CHARACTERS));
}

/** The readable text of a message; parts that are no text are named. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => ("text" in part && typeof part.text === "string" ? part.text : `[${part.type}]`))
    .join("\n");
}
