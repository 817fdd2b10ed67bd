import { CommandError } from "../../command-error.ts";
import { escapeKey } from "../../terminal/escape-controls.ts";
import { countOf } from "../../terminal/format-count.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

export const fork: ChatCommand = {
  name: "fork",
  argument: "[NEWKEY]",
  summary: "continue in a copy of this conversation",
  waits: true,
  run: async (argument, { agent, conversation, output, switchTo }) => {
    const { session, key } = conversation;
    if (!(await session.exists())) {
      throw new CommandError("USAGE_INVALID", "nothing was said here yet: there is nothing to fork");
    }
    let newKey = argument;
    for (let number = 2; newKey === ""; number++) {
      const candidate = `${key}:${number}`;
      if (!(await agent.store.session(candidate).exists())) newKey = candidate;
    }
    const child = await session.fork(newKey);
    const { count = 0 } = (await child.state()) ?? {};
    // Its last turns have just been seen.
    await switchTo(newKey, { isQuiet: true });
    writeWrapped(
      output,
      `Now in ${escapeKey(newKey)}, which begins with the ${countOf(count, "message")} of ${escapeKey(key)}.`,
    );
  },
};
