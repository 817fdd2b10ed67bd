import type { Store } from "@longhand/store";
import { CommandError } from "../../command-error.ts";
import { chooseSession, READABLE } from "../../sessions/choose-session.ts";
import type { ToPaste } from "../../terminal/command-to-paste.ts";
import { escapeKey } from "../../terminal/escape-controls.ts";
import type { Output } from "../../terminal/output.ts";
import type { ChatCommand } from "../chat-command.ts";

export const resume: ChatCommand = {
  name: "resume",
  argument: "[KEY]",
  summary: "continue another conversation; without KEY the newest other one",
  waits: true,
  run: async (argument, { agent, conversation, output, toPaste, switchTo }) => {
    if (argument === "") {
      const key = await newestBesides(agent.store, conversation.key);
      await switchTo(key);
      await sayIfEmpty(agent.store, key, output);
      return;
    }
    // In a chat the list is a command of the chat.
    const inChat: ToPaste = (words, key) => (words === "list" ? "/sessions" : toPaste(words, key));
    const info = await chooseSession(agent.store, argument, { output, toPaste: inChat, among: READABLE });
    await switchTo(info.key);
    await sayIfEmpty(agent.store, info.key, output);
  },
};

async function sayIfEmpty(store: Store, key: string, output: Output): Promise<void> {
  if (((await store.session(key).state())?.count ?? 0) === 0)
    output.write(`${escapeKey(key)} is empty: it has no messages.\n`);
}

async function newestBesides(store: Store, current: string): Promise<string> {
  for await (const { key } of store.list({ limit: 2 })) if (key !== current) return key;
  throw new CommandError("KEY_UNKNOWN", "there is no other session yet", { remedy: "to begin one: /new" });
}
