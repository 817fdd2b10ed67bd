/** That nothing is kept must be said wherever somebody may rely on it, also where no greeting is shown. */

import type { AgentInstance, Problem } from "@longhand/agent";

/** `undefined`: it is kept. */
export function notKept({ name, keptBy }: AgentInstance): Problem | undefined {
  if (keptBy !== "memory") return undefined;
  const message =
    "sessions are not kept: what is said is gone when this ends (channels_config.session_persistence is false)";
  return { agent: name, code: "NOT_KEPT", message };
}
