import { CommandError } from "../../command-error.ts";
import type { ChatCommand } from "../chat-command.ts";

export const now: ChatCommand = {
  name: "now",
  argument: "TEXT",
  summary: "tell the running answer something; read at its next step",
  waits: false,
  run: async (argument, { sayNow }) => {
    if (argument === "") throw new CommandError("USAGE_INVALID", "say what: /now TEXT");
    sayNow(argument);
    await Promise.resolve();
  },
};
