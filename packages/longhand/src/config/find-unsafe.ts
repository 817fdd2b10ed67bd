/** Workspaces of further agents that no agent may work in. */

import type { AgentConfig } from "./config.ts";
import type { ConfigFile, ConfigProblem } from "./config-file.ts";
import { realPath } from "./real-path.ts";
import { unsafeWorkspace, type WorkspaceBounds } from "./unsafe-workspace.ts";

/** The first agent is that of the workspace, which is checked when it is chosen. */
export function findUnsafe(
  agents: readonly AgentConfig[],
  home: ConfigFile,
  bounds: WorkspaceBounds,
): readonly ConfigProblem[] {
  return agents.slice(1).flatMap(({ workspace }, index) => {
    const reason = unsafeWorkspace(realPath(workspace), bounds);
    if (reason === undefined) return [];
    const line = home.lineOf(["agents", index, "workspace"]);
    const at = { where: home.path, ...(line === undefined ? {} : { line }) };
    return [{ ...at, field: `agents[${index}].workspace`, message: `${reason}: choose another directory` }];
  });
}
