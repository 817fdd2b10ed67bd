/** Fields that are right by themselves and not together. */

import { join, sep } from "node:path";
import type { AgentConfig } from "./config.ts";
import type { ConfigFile, ConfigProblem } from "./config-file.ts";

export function findClashes(
  agents: readonly AgentConfig[],
  home: ConfigFile,
  workspace: ConfigFile,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [index, agent] of agents.entries()) {
    // The first is `agent`; the others are in the list, which only the home's file has.
    const field = index === 0 ? "agent" : `agents[${index - 1}]`;
    const path = index === 0 ? ["agent"] : ["agents", index - 1];
    const report = (name: string, message: string): void => {
      const file = workspace.lineOf([...path, name]) === undefined ? home : workspace;
      const line = file.lineOf([...path, name]) ?? file.lineOf(path);
      problems.push({
        where: file.path,
        ...(line === undefined ? {} : { line }),
        field: `${field}.${name}`,
        message,
      });
    };
    if (agent.max_answer_tokens >= agent.max_context_tokens) {
      report(
        "max_answer_tokens",
        `must be less than max_context_tokens, which is ${agent.max_context_tokens}`,
      );
    }
    for (const other of agents.slice(0, index)) {
      if (other.name === agent.name) report("name", `another agent is called ${agent.name} too`);
      if (isWithin(agent.workspace, other.workspace) || isWithin(other.workspace, agent.workspace)) {
        report(
          "workspace",
          `is that of the agent ${other.name}, or in it, or around it: each agent has its own`,
        );
      }
    }
  }
  return problems;
}

function isWithin(path: string, directory: string): boolean {
  return join(path, sep).startsWith(join(directory, sep));
}
