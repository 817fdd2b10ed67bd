/** The skills of an agent: of its workspace, if the user has approved them, of the user, and those that come with Longhand. */

import { join } from "node:path";
import { BUILT_IN_SKILLS, findSkills, type Skills } from "@longhand/agent";
import type { AgentConfig, Config } from "../config/config.ts";
import { realPath } from "../config/real-path.ts";
import { usesOf } from "../config/workspace-uses.ts";

export async function findAgentSkills(config: Config, agent: AgentConfig, home: string): Promise<Skills> {
  if (!config.skills.enabled) return await findSkills({});
  const { workspace, state } = agent;
  const isApproved = usesOf(state, realPath(workspace)).includes("skills");
  return await findSkills({
    ...(isApproved ? { workspace: join(workspace, "skills") } : {}),
    user: join(home, "skills"),
    builtIn: BUILT_IN_SKILLS,
  });
}
