/** Puts the agents of a configuration together and opens them: the one place that picks concrete parts. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  builtInTools,
  chooseTools,
  findSandbox,
  loadSkillTool,
  openLoop,
  placeOfKey,
  scopeOfPlace,
  type AgentLoop,
  type AgentSettings,
  type LoopOptions,
  type Model,
  type NoSandbox,
  type Sandbox,
  type SearchedConversations,
  type Skills,
} from "@longhand/agent";
import type { Store } from "@longhand/store";
import type { AgentConfig, Config } from "../config/config.ts";
import type { ConfigEnvironment } from "../config/read-config.ts";
import { setAsidePath } from "../config/move-paths.ts";
import { realPath } from "../config/real-path.ts";
import { readRecord, WORKSPACE_FILE } from "../config/workspace-record.ts";
import { keepRecord, offeredIn } from "../config/workspace-uses.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { homeInWorkspace } from "./home-in-workspace.ts";
import { isBelow } from "./is-below.ts";
import { findAgentSkills } from "./find-agent-skills.ts";
import { modelMaker, type ModelMaker } from "./make-model.ts";

export interface AgentsRequest {
  readonly config: Config;
  readonly environment: ConfigEnvironment;
  /** Longhand's own directory: skills of the user are in it. */
  readonly home: string;
  /** The sessions are where the user said, and not in Longhand's own directory by default. */
  readonly areSessionsGiven: boolean;
  readonly events: LoopOptions["events"];
  readonly onProblem: LoopOptions["onProblem"];
  readonly toPaste: ToPaste;
  readonly approve?: LoopOptions["approve"];
  /** For all agents, whatever the configuration says. */
  readonly model?: string | undefined;
  /** Only this one. @default all */
  readonly only?: string | undefined;
}

export interface OpenedAgents {
  readonly loop: AgentLoop;
  readonly models: ModelMaker;
  readonly sandbox: Sandbox | NoSandbox;
}

export async function openAgents(request: AgentsRequest): Promise<OpenedAgents> {
  const { config, environment, events, approve, onProblem } = request;
  const models = await modelMaker(config, environment, (message) =>
    onProblem({ agent: undefined, code: "MODEL_NOTICE", message }),
  );
  const sandbox = await findSandbox();
  const agents: AgentSettings[] = [];
  for (const agent of config.agents) {
    if (request.only === undefined || request.only === agent.name) {
      agents.push(await settingsOf(agent, request, models, sandbox));
    }
  }
  const loop = await openLoop({ agents, events, onProblem, ...(approve === undefined ? {} : { approve }) });
  return { loop, models, sandbox };
}

async function settingsOf(
  agent: AgentConfig,
  { config, home, areSessionsGiven, model, onProblem, toPaste }: AgentsRequest,
  models: ModelMaker,
  sandbox: Sandbox | NoSandbox,
): Promise<AgentSettings> {
  const { workspace } = agent;
  await mkdir(workspace, { recursive: true, mode: 0o700 });
  const real = realPath(workspace);
  const { left, uses } = await keepRecord(agent.state, real);
  // Conversations and memory of an older version, until they are moved.
  const older = left
    .flatMap((name) => [join(real, name), setAsidePath(join(real, name))])
    .filter((path) => existsSync(path));
  // The command itself tells, or asks, about the first agent.
  const isFurther = agent !== config.agents[0];
  if (readRecord(agent.state) === "damaged") {
    const message = damagedRecord(agent, toPaste);
    if (isFurther) onProblem({ agent: agent.name, code: "NOT_APPROVED", message });
  } else {
    for (const name of offeredIn(real).filter((each) => !uses.includes(each)))
      onProblem({ agent: agent.name, code: "NOT_APPROVED", message: notApproved(workspace, name, toPaste) });
  }
  if (older.length > 0 && isFurther) {
    onProblem({ agent: agent.name, code: "SESSIONS_OLDER", message: notMoved(workspace, older, toPaste) });
  }
  const skills = await findAgentSkills(config, agent, home);
  for (const { directory, reason } of skills.invalid) {
    onProblem({
      agent: agent.name,
      code: "SKILL_INVALID",
      message: `the skill in ${directory} is left out: ${reason}`,
    });
  }
  const { redact } = models;
  const hidden = [...(await homeInWorkspace(home, workspace)), ...older];
  const made = await models.make(model ?? agent.model);
  // Only in Longhand's own directory: elsewhere the files may be anybody's.
  const migrateSessions = !areSessionsGiven && isBelow(agent.sessions, home);
  return {
    ...agentSettings(agent, config, { model: made, redact, sandbox, skills, hidden }),
    migrateSessions,
  };
}

export interface AgentParts extends Pick<ModelMaker, "redact"> {
  readonly model: Model;
  readonly sandbox: Sandbox | NoSandbox;
  readonly skills: Skills;
  /** Paths that no tool may touch, besides sessions, memory and keys. */
  readonly hidden: readonly string[];
}

/** What an agent of the configuration is made of. It creates and writes nothing. */
export function agentSettings(
  agent: AgentConfig,
  config: Config,
  { model, redact, sandbox, skills, hidden }: AgentParts,
): AgentSettings {
  const { workspace, sessions, memory } = agent;
  const secrets = config.keys.map(({ file }) => file).filter((file) => file !== undefined);
  const { timeout_seconds } = config.tools.exec;
  const isKept = config.channels_config.session_persistence;
  return {
    name: agent.name,
    workspace,
    sessions: isKept ? sessions : undefined,
    memory: isKept && config.memory.enabled ? memory : undefined,
    model,
    instructions: agent.instructions,
    skills,
    maxContextTokens: agent.max_context_tokens,
    maxAnswerTokens: agent.max_answer_tokens,
    maxHistoryMessages: agent.max_history_messages,
    maxSteps: agent.max_steps,
    scopeOf: (key) => {
      const place = placeOfKey(key);
      return place === undefined ? undefined : scopeOfPlace(agent.name, place);
    },
    redact,
    // Longer than a command may take, so that it is the command that is ended, and what it printed is told.
    toolLimit: timeout_seconds * 1000 + 20_000,
    tools: ({ store, memory: opened, scopeOf }) => {
      const tools = [
        ...builtInTools({
          workspace,
          protectedPaths: [...hidden, sessions, memory, ...secrets],
          sandbox,
          redact,
          execLimits: { milliseconds: timeout_seconds * 1000 },
          ...(opened === undefined
            ? {}
            : { memory: { memory: opened, scope: scopeOf, conversations: searchedIn(store) } }),
        }),
        ...(skills.found.length === 0 ? [] : [loadSkillTool(skills)]),
      ];
      // The names are checked with the configuration. One may still be missing here: without a memory there is no recall.
      const isHere = (name: string): boolean => tools.some((tool) => tool.name === name);
      const { allow, deny } = config.tools;
      return chooseTools(tools, {
        deny: deny.filter(isHere),
        ...(allow === undefined ? {} : { allow: allow.filter(isHere) }),
      });
    },
  };
}

function notApproved(workspace: string, name: string, toPaste: ToPaste): string {
  return `${join(workspace, name)} is not used: it was not there when you approved the workspace; to use it: ${toPaste("workspace approve", workspace)}`;
}

function damagedRecord({ state, workspace }: AgentConfig, toPaste: ToPaste): string {
  return `${join(state, WORKSPACE_FILE)} cannot be read, so nothing that ${workspace} brings is used; to approve it again: ${toPaste("workspace approve", workspace)}`;
}

function notMoved(workspace: string, older: readonly string[], toPaste: ToPaste): string {
  return `an older version left ${older.join(" and ")}; to move them to the home: ${toPaste("workspace move", undefined, { workspace })}`;
}

/** Who sits at this machine may search their own chats; somebody in a channel only the conversation they are in. */
function searchedIn(store: Store): SearchedConversations {
  return {
    store,
    keysOf: async ({ key }) => {
      if (placeOfKey(key) !== undefined) return [key];
      const keys: string[] = [];
      for await (const session of store.list())
        if (placeOfKey(session.key) === undefined) keys.push(session.key);
      return keys;
    },
  };
}
