/** A loop in a directory of its own, with its events and problems collected. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../../src/events.ts";
import { openLoop } from "../../src/loop/open-loop.ts";
import type { AgentLoop, AgentSettings, Problem } from "../../src/loop/types.ts";
import type { Model } from "../../src/models/model.ts";

export const NO_SKILLS: AgentSettings["skills"] = {
  found: [],
  invalid: [],
  promptSection: () => "",
  load: async () => await Promise.resolve(undefined),
};

export interface TestLoop {
  readonly directory: string;
  readonly loop: AgentLoop;
  readonly events: AgentEvent[];
  readonly problems: Problem[];
}

export function settingsIn(
  directory: string,
  model: Model,
  more: Partial<AgentSettings> = {},
): AgentSettings {
  const name = more.name ?? "main";
  const workspace = join(directory, name);
  return {
    name,
    workspace,
    sessions: join(workspace, "sessions"),
    memory: undefined,
    model,
    instructions: `You are ${name}.`,
    tools: () => [],
    skills: NO_SKILLS,
    ...more,
  };
}

const directories: string[] = [];

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "longhand-loop-"));
  directories.push(directory);
  return directory;
}

export async function removeDirectories(): Promise<void> {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
}

export async function openTestLoop(directory: string, agents: readonly AgentSettings[]): Promise<TestLoop> {
  const events: AgentEvent[] = [];
  const problems: Problem[] = [];
  const loop = await openLoop({
    agents,
    events: (event) => events.push(event),
    onProblem: (problem) => problems.push(problem),
  });
  return { directory, loop, events, problems };
}
