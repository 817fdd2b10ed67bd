import { CommandError } from "../../command-error.ts";
import type { ChatCommand } from "../chat-command.ts";

export const now: ChatCommand = {
  name: "now",
  argument: "TEXT",
  summary: "says it to the answer that is being given, at its next step",
  waits: false,
  run: async (argument, { sayNow }) => {
    if (argument === "") throw new CommandError("USAGE_INVALID", "say what: /now TEXT");
    sayNow(argument);
    await Promise.resolve();
  },
};
