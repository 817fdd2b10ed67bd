import type { ChatCommand } from "../chat-command.ts";

export const quit: ChatCommand = {
  name: "quit",
  argument: "",
  summary: "leave; everything said is kept",
  waits: false,
  run: async (_, { leave }) => {
    leave();
    await Promise.resolve();
  },
};
