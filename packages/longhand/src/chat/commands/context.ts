import { contextParts } from "../../terminal/context-parts.ts";
import { formatBytes } from "../../terminal/format-count.ts";
import { usageBar } from "../../terminal/usage-bar.ts";
import type { ChatCommand } from "../chat-command.ts";

export const context: ChatCommand = {
  name: "context",
  argument: "",
  summary: "show what fills the model's context window",
  waits: false,
  run: async (_, world) => {
    const { contextUsage } = await import("@longhand/store/context");
    const { agent, conversation, output } = world;
    const usage = await contextUsage(conversation.session, await agent.contextOptions(conversation.key));
    const { dim } = output.colors;
    output.write(
      dim(`a window of ${usage.maxTokens} tokens, estimated; ${formatBytes(usage.bytes)} as JSON\n`),
    );
    for (const line of usageBar(contextParts(usage, output.colors), output)) output.write(`${line}\n`);
    if (usage.free < usage.maxTokens / 10) output.write(dim("To make room: /compact\n"));
  },
};
