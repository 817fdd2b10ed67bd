/** Opens the agents for one command and closes them whatever happens: process, loop, registry, agents, sessions, in that order. */

import type { AgentEvent, AgentInstance, ApprovalQuestion, Problem } from "@longhand/agent";
import { CommandError } from "../command-error.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import type { Places } from "../config/places.ts";
import type { Environment } from "../terminal/process-output.ts";
import type { OpenedAgents } from "./open-agents.ts";

export interface AgentsWanted {
  readonly places: Places;
  readonly environment: Environment;
  readonly model?: string | undefined;
  readonly only?: string | undefined;
  readonly events: (event: AgentEvent) => void;
  readonly onProblem: (problem: Problem) => void;
  readonly approve?: (question: ApprovalQuestion, signal: AbortSignal) => Promise<boolean>;
}

export interface Agents extends OpenedAgents {
  readonly config: Config;
  /** The one that was named, else the first. */
  readonly agent: AgentInstance;
}

export async function withAgents<T>(wanted: AgentsWanted, use: (agents: Agents) => Promise<T>): Promise<T> {
  const { places, environment, events, onProblem, approve, model, only } = wanted;
  const config = await readConfig(places, environment);
  const names = config.agents.map(({ name }) => name);
  if (only !== undefined && !names.includes(only)) {
    throw new CommandError("USAGE_INVALID", `there is no agent ${only}; there are: ${names.join(", ")}`);
  }
  // Loaded only now: help and most commands need no agent.
  const { openAgents } = await import("./open-agents.ts");
  const opened = await openAgents({
    ...{ config, environment, home: places.home.path, events, onProblem, model, only },
    areSessionsGiven: places.sessions.source === "option",
    ...(approve === undefined ? {} : { approve }),
  });
  let result: T;
  try {
    result = await use({ ...opened, config, agent: opened.loop.agent(only) });
  } catch (error) {
    // What went wrong first is what is told.
    await opened.loop.close().catch(() => undefined);
    throw error;
  }
  await opened.loop.close();
  return result;
}
