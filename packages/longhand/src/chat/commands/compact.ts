import type { NotCompacted } from "@longhand/store/context";
import { countOf } from "../../terminal/format-count.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

/** Who asks for it wants it shorter than what is done unasked. */
const KEPT_MESSAGES = 4;

export const compact: ChatCommand = {
  name: "compact",
  argument: "",
  summary: "replace the oldest turns by a summary, for the model only",
  waits: true,
  run: async (_, { agent, ask, conversation, output, signal }) => {
    const { compactSession } = await import("@longhand/store/context");
    const result = await compactSession(conversation.session, {
      force: true,
      keepMessages: KEPT_MESSAGES,
      model: agent.model.name,
      signal,
      ...(ask === undefined ? {} : { ask }),
    });
    if (!result.done) {
      writeWrapped(output, REASONS[result.reason]);
      return;
    }
    const { messages, after } = result;
    writeWrapped(
      output,
      `A summary stands for ${countOf(messages, "message")} now; with it the view has about ${after.tokens} tokens. Nothing is deleted.`,
    );
  },
};

const REASONS: Readonly<Record<NotCompacted["reason"], string>> = {
  "within-limits": "There is nothing to cut: nothing was said here yet.",
  "nothing-to-cut": "There is nothing to cut: the newest turns stay.",
  "no-progress": "Nothing was done: the summary would be no shorter than what it stands for.",
  "changed-meanwhile": "Nothing was done: somebody else has changed the conversation meanwhile. Try again.",
  busy: "Nothing was done: it is being compacted already.",
  "dry-run": "Nothing was done.",
};
