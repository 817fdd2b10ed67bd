import { rewindTurn } from "@longhand/agent";
import { CommandError } from "../../command-error.ts";
import { countOf } from "../../terminal/format-count.ts";
import type { ChatCommand } from "../chat-command.ts";

export const undo: ChatCommand = {
  name: "undo",
  argument: "",
  summary: "takes the last turn back: your message and what came of it",
  waits: true,
  run: async (_, { conversation, output, toPaste }) => {
    const { session, key } = conversation;
    const before = await session.state();
    const rewound = await rewindTurn(session);
    if (before === undefined || rewound === undefined) {
      throw new CommandError("NOTHING_TO_UNDO", "there is no turn to take back");
    }
    const { count = 0 } = (await session.state()) ?? {};
    output.write(`The last turn is taken back; ${countOf(count, "message")} left in the view.\n`);
    output.write(
      output.colors.dim(
        "What tools have done is not undone. The words stay in the log; Up brings yours back.\n",
      ),
    );
    output.write(
      output.colors.dim(`To take the undo back, after leaving: ${toPaste(`undo --to ${before.seq}`, key)}\n`),
    );
  },
};
