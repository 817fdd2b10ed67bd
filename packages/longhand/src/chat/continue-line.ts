import type { Conversation } from "@longhand/agent";
import type { ChatSurroundings } from "./chat-command.ts";

/** How to continue the conversation after leaving the chat. `undefined`: nothing was said, or sessions are not kept. */
export async function continueLine(
  { session, key }: Conversation,
  { agent, toPaste, chatWords = "chat" }: Pick<ChatSurroundings, "agent" | "toPaste" | "chatWords">,
): Promise<string | undefined> {
  if (agent.keptBy === "memory" || !(await session.exists())) return undefined;
  return `To continue this conversation: ${toPaste(chatWords, key, {})}`;
}
