/**
 * Looks at what the agents would work with, for `longhand doctor`: the configuration, the models, the skills, the sandbox. Begins nothing,
 * and asks no model. That a machine has no sandbox or no model is told with its remedy and is no problem; what keeps an agent from
 * opening, or a skill from being loaded, is one.
 */

import { findSandbox, type InvalidSkill } from "@longhand/agent";
import { examineConfig, problemText } from "../config/read-config.ts";
import type { Config, ExaminedConfig } from "../config/config.ts";
import type { Places } from "../config/places.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import type { Environment } from "../terminal/process-output.ts";
import { findAgentSkills } from "./find-agent-skills.ts";
import { modelMaker } from "./make-model.ts";

export interface AgentsProblem {
  readonly problem: string;
  readonly remedy: string;
}

export interface ExaminedAgents {
  readonly sandbox: { readonly works: boolean; readonly says: string };
  readonly configFiles: ExaminedConfig["files"];
  /** None where the configuration cannot be used. */
  readonly agents: readonly ExaminedAgent[];
  readonly problems: readonly AgentsProblem[];
  /** Directories of their memories, each once. */
  readonly memories: readonly string[];
}

export interface ExaminedAgent {
  readonly name: string;
  /** Which would answer. `null`: none can. */
  readonly model: string | null;
  /** Why it is the offline assistant, where nobody has asked for it. */
  readonly whyOffline?: string;
  readonly skills: readonly string[];
  readonly invalidSkills: readonly InvalidSkill[];
}

export async function examineAgents(
  places: Places,
  environment: Environment,
  toPaste: ToPaste,
): Promise<ExaminedAgents> {
  const { config, problems: wrong, files } = await examineConfig(places, environment);
  const problems: AgentsProblem[] = wrong.map((problem) => ({
    problem: problemText(problem),
    remedy: `mend it, then look again: ${toPaste("config check")}`,
  }));
  const agents = config === undefined ? [] : await agentsOf(config, places, environment, problems, toPaste);
  const memories = [...new Set(config?.agents.map(({ memory }) => memory))];
  return { sandbox: await examineSandbox(), configFiles: files, agents, problems, memories };
}

async function agentsOf(
  config: Config,
  places: Places,
  environment: Environment,
  problems: AgentsProblem[],
  toPaste: ToPaste,
): Promise<readonly ExaminedAgent[]> {
  const examined: ExaminedAgent[] = [];
  for (const agent of config.agents) {
    const { name, model: wanted } = agent;
    let model: string | null = null;
    let whyOffline: string | undefined;
    try {
      const models = await modelMaker(config, environment, () => undefined);
      model = (await models.make(wanted)).name;
      whyOffline = models.whyOffline();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const remedy = `see what is set, and where: ${toPaste("config show")}`;
      problems.push({ problem: `the agent ${name} has no model: ${reason}`, remedy });
    }
    const { found, invalid } = await findAgentSkills(config, agent, places.home.path);
    for (const { directory, reason } of invalid) {
      problems.push({
        problem: `the skill in ${directory} is left out: ${reason}`,
        remedy: "mend its SKILL.md, or take the directory away",
      });
    }
    examined.push({
      ...{ name, model, invalidSkills: invalid, skills: found.map((skill) => skill.name) },
      ...(whyOffline === undefined ? {} : { whyOffline }),
    });
  }
  return examined;
}

async function examineSandbox(): Promise<ExaminedAgents["sandbox"]> {
  const found = await findSandbox();
  if ("unavailable" in found) return { works: false, says: `none: ${found.unavailable}; ${found.remedy}` };
  const unlimited = found.processLimit === "none" ? "; the number of processes is not limited" : "";
  return { works: true, says: `${found.name} works${unlimited}` };
}
