import type { Session } from "@longhand/store";
import type { ChatSurroundings } from "./chat-command.ts";
import type { Status } from "./status-line.ts";

/** How full the model's window would be now. */
export async function measureUsage(
  session: Session,
  surroundings: ChatSurroundings,
): Promise<NonNullable<Status["usage"]>> {
  const { contextUsage } = await import("@longhand/store/context");
  const usage = await contextUsage(session, await surroundings.agent.contextOptions(session.key));
  const { maxTokens, system, tools, summary, turns } = usage;
  return { used: system + tools + summary + turns, maxTokens };
}
