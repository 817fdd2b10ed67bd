/** What the chat would build the next request of a session from. Nothing is created or written, and no model is asked. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findSandbox, previewRequest, type Model, type ReadMemory, type TurnRequest } from "@longhand/agent";
import type { Session, Store } from "@longhand/store";
import { openMemory } from "@longhand/store/memory";
import { readConfig } from "../config/read-config.ts";
import type { Places } from "../config/places.ts";
import type { Environment } from "../terminal/process-output.ts";
import { findAgentSkills } from "./find-agent-skills.ts";
import { agentSettings } from "./open-agents.ts";

export interface PreviewedSession {
  readonly places: Places;
  readonly environment: Environment;
  readonly store: Store;
  readonly session: Session;
  /** Whose reported usage corrects the estimate. @default the configured one, or else that of the last answer */
  readonly model: string | undefined;
}

export async function previewChatRequest(previewed: PreviewedSession): Promise<TurnRequest> {
  const { places, environment, store, session } = previewed;
  const config = await readConfig(places, environment);
  const [agent] = config.agents;
  const skills = await findAgentSkills(config, agent, places.home.path);
  const name = previewed.model ?? (await modelName(agent.model, session));
  const parts = { model: named(name), sandbox: await findSandbox(), skills, hidden: [], redact: same };
  const settings = agentSettings(agent, config, parts);
  if (settings.memory === undefined) return await previewRequest(settings, store, undefined, session.key);
  if (!existsSync(join(settings.memory, "store")))
    return await previewRequest(settings, store, NOTHING_REMEMBERED, session.key);
  const memory = await openMemory({ directory: settings.memory, sessions: store, readOnly: true });
  try {
    return await previewRequest(settings, store, memory, session.key);
  } finally {
    await memory.close();
  }
}

/** `auto` and `ollama` name no model: the one that answered last is the likeliest. */
async function modelName(configured: string, session: Session): Promise<string> {
  if (configured.includes(":") || configured === "offline") return configured;
  for await (const record of session.records({ live: true, reverse: true })) {
    if (record.op === undefined && record.message.model !== undefined) return record.message.model;
  }
  return configured;
}

const notHere = (): Promise<never> => Promise.reject(new Error("this agent is only looked at"));

function named(name: string): Model {
  return {
    name,
    stream: () => {
      throw new Error("this agent is only looked at");
    },
  };
}

const NOTHING_REMEMBERED: ReadMemory = {
  promptSection: () => Promise.resolve({ text: "", entries: [] }),
  recall: notHere,
  remember: notHere,
};

const same = (text: string): string => text;
