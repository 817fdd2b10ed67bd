/** Reads the configuration: longhand.json of the workspace and of the home, then the environment. Writes nothing. */

import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { HOSTED_PROVIDERS, usualAnswerTokens } from "@longhand/agent/settings";
import { CommandError } from "../command-error.ts";
import { type AgentConfig, type Config, type ExaminedConfig, type KeyPlace } from "./config.ts";
import { CONFIG_FILE, type ConfigFile, type ConfigProblem, readConfigFile } from "./config-file.ts";
import { configValues } from "./config-values.ts";
import { misspeltVariables, OVERRIDES } from "./environment-overrides.ts";
import { explainIssue } from "./explain-issue.ts";
import { findClashes } from "./find-clashes.ts";
import { findUnsafe } from "./find-unsafe.ts";
import { mergeSettings, type Override } from "./merge-settings.ts";
import type { Places } from "./places.ts";
import { realPath } from "./real-path.ts";
import { userHomes } from "./resolve-home.ts";
import type { Settings } from "./settings.ts";
import { settingsSchema } from "./settings-schema.ts";
import { DEFAULT_WORKSPACE, workspaceState } from "./workspace-state.ts";
import { workspaceBounds } from "./workspace-bounds.ts";
import { usesOf } from "./workspace-uses.ts";

export type ConfigEnvironment = Readonly<Record<string, string | undefined>>;

/** CONFIG_INVALID tells all problems at once. */
export async function readConfig(places: Places, environment: ConfigEnvironment): Promise<Config> {
  const { config, problems } = await examineConfig(places, environment);
  if (config !== undefined) return config;
  const lines = problems.map((problem) => `  ${problemText(problem)}`);
  throw new CommandError("CONFIG_INVALID", ["the configuration cannot be used:", ...lines].join("\n"), {
    detail: { problems },
  });
}

export async function examineConfig(places: Places, environment: ConfigEnvironment): Promise<ExaminedConfig> {
  const home = await readConfigFile(places.home.path, "home");
  const isOne = places.workspace.path === places.home.path;
  const { real, state } = places.workspace;
  const isUnapproved = !usesOf(state, real).includes(CONFIG_FILE);
  const workspace =
    isOne || isUnapproved
      ? emptyFile(join(places.workspace.path, CONFIG_FILE))
      : await readConfigFile(places.workspace.path, "workspace");
  const { overrides, problems: ofVariables } = readOverrides(environment);
  const files = (isOne ? [home] : [workspace, home]).map(({ from, path, exists }) => {
    const isHidden = from === "workspace" && isUnapproved && existsSync(path);
    return { from, path, exists: exists || isHidden, isUnapproved: isHidden };
  });
  const problems = [...workspace.problems, ...home.problems, ...ofVariables];
  if (problems.length > 0) return { config: undefined, problems, files };
  const settings = settingsSchema.parse(mergeSettings(home, workspace, overrides));
  const agents = agentsOf(settings, places, dirname(home.path));
  const bounds = workspaceBounds(places.home.path, userHomes({ environment, accountHome }));
  const clashes = [...findClashes(agents, home, workspace), ...findUnsafe(agents, home, bounds)];
  if (clashes.length > 0) return { config: undefined, problems: clashes, files };
  const values = configValues(settings, agents[0].max_answer_tokens, { home, workspace, overrides });
  const { models, tools, memory, skills, channels_config } = settings;
  const keys = keysOf(settings, environment, dirname(home.path));
  return {
    config: { agents, models, tools, memory, skills, channels_config, values, files, keys },
    problems,
    files,
  };
}

/** Not homedir(), which gives an empty HOME as it is. */
function accountHome(): string {
  return userInfo().homedir;
}

/** A file that is not read: there is one file only, the home's, or the user has not approved it. */
function emptyFile(path: string): ConfigFile {
  return { from: "workspace", path, exists: false, content: {}, problems: [], lineOf: () => undefined };
}

export function problemText({ where, line, column, field, message }: ConfigProblem): string {
  const at = line === undefined ? where : `${where}:${line}:${column ?? 1}`;
  return [at, ...(field === "" ? [] : [field]), message].join(": ");
}

/** Each variable is checked by the schema alone, so that the complaint names the variable. */
function readOverrides(environment: ConfigEnvironment): { overrides: Override[]; problems: ConfigProblem[] } {
  const overrides: Override[] = [];
  const problems: ConfigProblem[] = misspeltVariables(environment).map(([name, meant]) => ({
    where: name,
    field: "",
    message: `there is no such variable; did you mean ${meant}?`,
  }));
  for (const variable of OVERRIDES) {
    const text = environment[variable.name]?.trim() ?? "";
    if (text === "") continue;
    const value = variable.read(text);
    if (value === undefined) {
      problems.push({ where: variable.name, field: "", message: `must be ${variable.expected}` });
      continue;
    }
    const alone = variable.field.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    const checked = settingsSchema.safeParse(alone);
    if (checked.success) overrides.push({ variable, value });
    const issues = checked.error?.issues.flatMap(explainIssue) ?? [];
    problems.push(...issues.map(({ message }) => ({ where: variable.name, field: "", message })));
  }
  return { overrides, problems };
}

function agentsOf({ agent, agents }: Settings, places: Places, base: string): Config["agents"] {
  const first: AgentConfig = {
    ...agent,
    workspace: places.workspace.path,
    state: places.workspace.state,
    sessions: places.sessions.path,
    memory: places.memory.path,
    max_answer_tokens: agent.max_answer_tokens ?? usualAnswerTokens(agent.max_context_tokens),
  };
  const others = agents.map((own): AgentConfig => {
    const workspace =
      own.workspace === undefined
        ? join(places.home.path, `${DEFAULT_WORKSPACE}-${own.name}`)
        : resolve(base, own.workspace);
    const state = workspaceState(places.home.path, realPath(workspace));
    const max_context_tokens = own.max_context_tokens ?? agent.max_context_tokens;
    return {
      name: own.name,
      workspace,
      state,
      sessions: join(state, "sessions"),
      memory: join(state, "memory"),
      model: own.model ?? agent.model,
      instructions: own.instructions ?? agent.instructions,
      max_context_tokens,
      max_answer_tokens:
        own.max_answer_tokens ?? agent.max_answer_tokens ?? usualAnswerTokens(max_context_tokens),
      max_history_messages: own.max_history_messages ?? agent.max_history_messages,
      max_steps: own.max_steps ?? agent.max_steps,
    };
  });
  return [first, ...others];
}

function keysOf({ models }: Settings, environment: ConfigEnvironment, base: string): readonly KeyPlace[] {
  return HOSTED_PROVIDERS.map((provider) => {
    const { api_key_env: variable, api_key_file: file } = models[provider];
    const isSet = (environment[variable]?.trim() ?? "") !== "";
    return { provider, variable, isSet, file: file === undefined ? undefined : resolve(base, file) };
  });
}
