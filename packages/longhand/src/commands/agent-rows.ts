/** What `longhand doctor` says of the agents, as rows of a name and a value. */

import type { ExaminedAgents } from "../assembly/examine-agents.ts";

export function agentRows({
  agents,
  configFiles,
  sandbox,
}: ExaminedAgents): (readonly [name: string, value: string])[] {
  const files = configFiles.filter(({ exists }) => exists).map(({ path }) => path);
  const isRight = agents.length > 0;
  const config = files.length === 0 ? "no longhand.json; the defaults hold" : files.join(", ");
  return [
    ["config", isRight ? config : `${config}: cannot be used, see below`],
    ...agents.flatMap(({ name, model, whyOffline, skills, invalidSkills }) => {
      const whose = agents.length === 1 ? "" : `${name}: `;
      const leftOut = invalidSkills.length === 0 ? "" : `; ${invalidSkills.length} left out, see below`;
      const why = whyOffline === undefined ? "" : `, no model: ${whyOffline}`;
      return [
        ["model", `${whose}${model ?? "none, see below"}${why}`] as const,
        ["skills", `${whose}${skills.length === 0 ? "none" : skills.join(", ")}${leftOut}`] as const,
      ];
    }),
    ["sandbox", sandbox.says],
  ];
}
