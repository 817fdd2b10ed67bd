/** The skills of an agent: of its workspace, of the user, and those that come with Longhand. */

import { join } from "node:path";
import { BUILT_IN_SKILLS, findSkills, type Skills } from "@longhand/agent";
import type { Config } from "../config/config.ts";

export async function findAgentSkills(config: Config, workspace: string, home: string): Promise<Skills> {
  if (!config.skills.enabled) return await findSkills({});
  return await findSkills({
    workspace: join(workspace, "skills"),
    user: join(home, "skills"),
    builtIn: BUILT_IN_SKILLS,
  });
}
