/** What a session is called in a list: its title, else the first words a person said in it. */

import type { Message, SessionInfo, Store } from "@longhand/store";
import { escapeLine } from "../terminal/escape-controls.ts";

/** A greeting by the system or the agent may come first; further in it is not a beginning any more. */
const LOOKED_AT = 5;
const ENOUGH_CHARACTERS = 200;

export async function sessionLabel(store: Store, info: SessionInfo): Promise<string> {
  const { title } = info;
  if (title !== undefined && title !== "") return escapeLine(beginningOf(title));
  return escapeLine(await firstWords(store, info));
}

/** For a program: nothing is escaped. Empty where nothing was said. */
export async function firstWords(store: Store, { key, id, status, count }: SessionInfo): Promise<string> {
  const session = store.session(key);
  if (count === 0) return "";
  // By its key one reads the active session, or of several that were put away the newest.
  if (status !== "active" && (await session.state())?.id !== id) return "";
  let first: Message | undefined;
  let looked = 0;
  for await (const message of session.iterate()) {
    first ??= message;
    if (message.role === "user") return beginningOf(textOf(message));
    if (++looked === LOOKED_AT) break;
  }
  return first === undefined ? "" : beginningOf(textOf(first));
}

function beginningOf(text: string): string {
  const words = text.slice(0, ENOUGH_CHARACTERS).toWellFormed().replace(/\s+/gu, " ").trim();
  return text.length > ENOUGH_CHARACTERS ? `${words}…` : words;
}

/** The readable text of a message; parts that are no text are named. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => ("text" in part && typeof part.text === "string" ? part.text : `[${part.type}]`))
    .join("\n");
}
