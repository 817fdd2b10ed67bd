import type { ContextOptions } from "@longhand/store/context";
import type { ChatSurroundings } from "./chat-command.ts";

/** What a request of this agent has in it besides the conversation. */
export async function contextOptionsOf({ agent, contextOptions }: ChatSurroundings): Promise<ContextOptions> {
  if (contextOptions !== undefined) return await contextOptions();
  return { tools: agent.tools.map(({ schema }) => schema), model: agent.model.name };
}
