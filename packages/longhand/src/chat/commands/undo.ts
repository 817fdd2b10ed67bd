import { rewindTurn } from "@longhand/agent";
import type { Session } from "@longhand/store";
import { CommandError } from "../../command-error.ts";
import { reconciledLines } from "../../sessions/reconciled-lines.ts";
import { countOf } from "../../terminal/format-count.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

export const undo: ChatCommand = {
  name: "undo",
  argument: "",
  summary: "undo the last turn: your message and the answer",
  waits: true,
  run: async (_, { agent, conversation, output, toPaste }) => {
    const { session } = conversation;
    const before = await session.state();
    const firstBefore = await firstInView(session);
    const rewound = await rewindTurn(session);
    if (before === undefined || rewound === undefined) {
      throw new CommandError("NOTHING_TO_UNDO", "there is no turn to take back");
    }
    const { count = 0 } = (await session.state()) ?? {};
    const { dim } = output.colors;
    writeWrapped(output, `The last turn is taken back; ${countOf(count, "message")} left in the view.`);
    if ((await firstInView(session)) < firstBefore) {
      writeWrapped(
        output,
        "The summary that was made after it is taken back with it: the oldest turns are in the view again. /compact makes another.",
      );
    }
    const reconciled = await agent.memory?.reconcile(session, { from: rewound.from });
    for (const line of reconciled === undefined ? [] : reconciledLines(reconciled, toPaste))
      writeWrapped(output, line);
    writeWrapped(
      output,
      "What tools have done is not undone. Up brings your words back into the line; /redo undoes the undo.",
      dim,
    );
  },
};

/** Its seq; Infinity where the view is empty. A cut that is undone is seen by older messages in the view. */
async function firstInView(session: Session): Promise<number> {
  for await (const { seq } of session.records({ live: true })) return seq;
  return Infinity;
}
