/** Opens the agents for one command and closes them whatever happens: process, loop, registry, agents, sessions, in that order. */

import type { AgentEvent, AgentInstance, ApprovalQuestion, Problem } from "@longhand/agent";
import { CommandError } from "../command-error.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import type { Places } from "../config/places.ts";
import { completeCommands, inStore, type ToPaste } from "../terminal/command-to-paste.ts";
import type { Environment } from "../terminal/process-output.ts";
import type { OpenedAgents } from "./open-agents.ts";

export interface AgentsWanted {
  readonly places: Places;
  readonly environment: Environment;
  readonly model?: string | undefined;
  readonly only?: string | undefined;
  readonly events: (event: AgentEvent) => void;
  readonly onProblem: (problem: Problem) => void;
  readonly toPaste: ToPaste;
  readonly approve?: (question: ApprovalQuestion, signal: AbortSignal) => Promise<boolean>;
}

export interface Agents extends OpenedAgents {
  readonly config: Config;
  /** The one that was named, else the first. */
  readonly agent: AgentInstance;
  /** For what this agent keeps. */
  readonly toPaste: ToPaste;
}

export async function withAgents<T>(wanted: AgentsWanted, use: (agents: Agents) => Promise<T>): Promise<T> {
  const { places, environment, events, approve, model, only, toPaste } = wanted;
  const config = await readConfig(places, environment);
  const names = config.agents.map(({ name }) => name);
  if (only !== undefined && !names.includes(only)) {
    throw new CommandError("USAGE_INVALID", `there is no agent ${only}; there are: ${names.join(", ")}`);
  }
  const toPasteFor = (agent: string | undefined): ToPaste => {
    const further = config.agents.slice(1).find(({ name }) => name === agent);
    return further === undefined ? toPaste : inStore(toPaste, further.sessions);
  };
  const onProblem = ({ agent, code, message }: Problem): void =>
    wanted.onProblem({ agent, code, message: completeCommands(message, toPasteFor(agent)) });
  // Loaded only now: help and most commands need no agent.
  const { openAgents } = await import("./open-agents.ts");
  const opened = await openAgents({
    ...{ config, environment, home: places.home.path, events, onProblem, toPaste, model, only },
    areSessionsGiven: places.sessions.source === "option",
    ...(approve === undefined ? {} : { approve }),
  });
  let result: T;
  try {
    result = await use({ ...opened, config, agent: opened.loop.agent(only), toPaste: toPasteFor(only) });
  } catch (error) {
    // What went wrong first is what is told.
    await opened.loop.close().catch(() => undefined);
    throw error;
  }
  await opened.loop.close();
  return result;
}
