/**
 * The loop: the registry of the agents of one process, and the beginning of the chain by which everything closes: loop, agents,
 * their conversations, their sessions.
 */

import { AgentError, assertNever } from "../errors.ts";
import type { AgentEvent } from "../events.ts";
import { createKernel } from "../kernel/create-kernel.ts";
import type { Kernel, KernelEvent } from "../kernel/types.ts";
import { openAgent, type OpenAgent } from "./open-agent.ts";
import { refuse } from "./refusable.ts";
import type { AgentInstance, AgentLoop, LoopOptions, Problem } from "./types.ts";

export async function openLoop(options: LoopOptions): Promise<AgentLoop> {
  checkNames(options.agents.map(({ name }) => name));
  const onProblem = guardedProblems(options.onProblem);
  const kernel = createKernel({ onEvent: (event) => tellOf(event, onProblem) });
  const surroundings = { ...options, onProblem, events: guarded(options.events, onProblem) };
  const agents: OpenAgent[] = [];
  try {
    for (const settings of options.agents) agents.push(await openAgent(kernel, settings, surroundings));
  } catch (error) {
    await closeAll(kernel, agents);
    throw error;
  }
  return new Loop(kernel, agents);
}

class Loop implements AgentLoop {
  readonly agents: readonly OpenAgent[];
  readonly #kernel: Kernel;
  #closing: Promise<void> | undefined;

  constructor(kernel: Kernel, agents: readonly OpenAgent[]) {
    this.#kernel = kernel;
    this.agents = agents;
  }

  agent(name?: string): AgentInstance {
    const found = name === undefined ? this.agents[0] : this.agents.find((agent) => agent.name === name);
    if (found !== undefined) return found;
    const names = this.agents.map((agent) => agent.name);
    throw new AgentError("AGENT_UNKNOWN", `there is no agent ${name ?? ""}; there are: ${names.join(", ")}`, {
      name,
      names,
    });
  }

  async close(): Promise<void> {
    await (this.#closing ??= closeAll(this.#kernel, this.agents));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Every agent is closed, whatever becomes of the others; then what went wrong is told. */
async function closeAll(kernel: Kernel, agents: readonly OpenAgent[]): Promise<void> {
  const closed = await Promise.allSettled(agents.map(async (agent) => await agent.close()));
  await kernel.close();
  const failures = closed
    .filter((result) => result.status === "rejected")
    .map(({ reason }) => reason as unknown);
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "several agents could not be closed");
}

function checkNames(names: readonly string[]): void {
  if (names.length === 0) throw new AgentError("OPTION_INVALID", "a loop needs at least one agent");
  const twice = names.find((name, index) => name === "" || names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new AgentError(
    "OPTION_INVALID",
    `every agent needs a name of its own; ${JSON.stringify(twice)} is not`,
    { name: twice },
  );
}

/** Nobody is left to be told that telling has failed. */
function guardedProblems(onProblem: (problem: Problem) => void): (problem: Problem) => void {
  return (problem) => {
    try {
      onProblem(problem);
    } catch (error) {
      process.emitWarning(`onProblem has thrown over ${problem.code}: ${String(error)}`);
    }
  };
}

/** A sink that throws must not end a turn. */
function guarded(
  events: (event: AgentEvent) => void,
  onProblem: (problem: Problem) => void,
): (event: AgentEvent) => void {
  return (event) => {
    try {
      events(event);
    } catch (error) {
      const message = `the sink of events has thrown: ${error instanceof Error ? error.message : String(error)}`;
      onProblem({ agent: event.agent, code: "SINK_FAILED", message });
    }
  };
}

function tellOf(event: KernelEvent, onProblem: (problem: Problem) => void): void {
  const tell = (code: Problem["code"], message: string): void =>
    onProblem({ agent: undefined, code, message });
  switch (event.type) {
    case "crashed":
      tell(
        "ACTOR_CRASHED",
        `${event.actor} crashed and begins anew in ${event.restartIn} ms: ${String(event.error)}`,
      );
      break;
    case "failed":
      tell(
        "ACTOR_FAILED",
        `${event.actor} crashed ${event.crashes} times and was given up: ${String(event.error)}`,
      );
      break;
    case "undeliverable":
      refuse(event.message);
      break;
    default:
      assertNever(event);
  }
}
