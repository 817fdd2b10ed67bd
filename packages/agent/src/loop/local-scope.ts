/**
 * Whose memory a conversation has if nobody says: that of who sits at this machine. Not the agent's as a whole: what is known
 * there is told to everybody the agent talks with.
 */

import type { Scope } from "@longhand/store/memory";

export const LOCAL_CHANNEL = "local";

export function localScope(agent: string): Scope {
  return { agent, channel: LOCAL_CHANNEL, user: "owner" };
}
