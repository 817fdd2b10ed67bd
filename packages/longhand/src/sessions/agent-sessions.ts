/** `--agent NAME`: a command on the sessions of another agent of the configuration than the first. */

import { CommandError } from "../command-error.ts";
import { inStore } from "../terminal/command-to-paste.ts";
import type { Environment } from "../terminal/process-output.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import type { StoreSurroundings } from "./with-store.ts";

interface AgentSurroundings extends StoreSurroundings {
  readonly environment: Environment;
  actOn(given: Pick<StoreSurroundings, "places" | "toPaste">): void;
}

export async function surroundingsOfAgent<T extends AgentSurroundings>(name: string, given: T): Promise<T> {
  const { places, environment } = given;
  if (places.sessions.source === "option") {
    throw new CommandError("USAGE_INVALID", "give either --agent or --sessions, not both");
  }
  // Loaded only here: without --agent no command of the store reads the configuration.
  const { readConfig } = await import("../config/read-config.ts");
  const { agents } = await readConfig(places, environment);
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined)
    throw await unknownAgent(
      name,
      agents.map((each) => each.name),
    );
  if (agent === agents[0]) return given;
  const ofAgent = {
    ...given,
    places: {
      ...places,
      sessions: { path: agent.sessions, source: "default", why: `of the agent ${name}` } as const,
    },
    toPaste: inStore(given.toPaste, agent.sessions),
  };
  given.actOn(ofAgent);
  return ofAgent;
}

async function unknownAgent(name: string, names: readonly string[]): Promise<CommandError> {
  const { suggestName } = await import("@longhand/agent/settings");
  const near = suggestName(name, names);
  const hint = near === undefined ? "there are" : `did you mean ${near}? There are`;
  return new CommandError(
    "USAGE_INVALID",
    `there is no agent ${escapeLine(name)}; ${hint}: ${names.map(escapeLine).join(", ")}`,
    { detail: { agents: names } },
  );
}
