import { CommandError } from "../../command-error.ts";
import { escapeKey } from "../../terminal/escape-controls.ts";
import type { ChatCommand } from "../chat-command.ts";
import { newKey } from "../new-key.ts";

export const newConversation: ChatCommand = {
  name: "new",
  argument: "[KEY]",
  summary: "start a new conversation; this one is kept",
  waits: true,
  run: async (argument, { agent, output, switchTo }) => {
    const key = argument === "" ? await newKey(agent.store, output.now()) : argument;
    if (await agent.store.session(key).exists()) {
      throw new CommandError("USAGE_INVALID", `${escapeKey(key)} is there already`, {
        remedy: `to go on with it: /resume ${escapeKey(key)}`,
      });
    }
    await switchTo(key);
    output.write(`A new conversation: ${output.colors.cyan(escapeKey(key))}\n`);
  },
};
