import { redoTurn } from "@longhand/agent";
import { CommandError } from "../../command-error.ts";
import { reconciledLines } from "../../sessions/reconciled-lines.ts";
import { countOf } from "../../terminal/format-count.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

export const redo: ChatCommand = {
  name: "redo",
  argument: "",
  summary: "undo the last /undo; not after a new message",
  waits: true,
  run: async (_, { agent, conversation, output, toPaste }) => {
    const { session } = conversation;
    const redone = (await session.exists()) ? await redoTurn(session) : undefined;
    if (redone === undefined) {
      throw new CommandError(
        "NOTHING_TO_UNDO",
        "there is nothing to redo: nothing was undone, or something was said since",
      );
    }
    const { count = 0 } = (await session.state()) ?? {};
    const reconciled = await agent.memory?.reconcile(session, { from: redone.from });
    writeWrapped(output, `Redone; ${countOf(count, "message")} in the view.`);
    for (const line of reconciled === undefined ? [] : reconciledLines(reconciled, toPaste))
      writeWrapped(output, line);
  },
};
