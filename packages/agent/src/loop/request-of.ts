/** What the next request of a session is built from: for an agent that is open, and for one that is only looked at. */

import type { Session, Store } from "@longhand/store";
import type { Memory, Scope } from "@longhand/store/memory";
import { messageText } from "../message-text.ts";
import type { Tool } from "../tools/tool.ts";
import { fullSettings } from "../turn/full-settings.ts";
import { turnRequest, type TurnRequest } from "../turn/turn-request.ts";
import { localScope } from "./local-scope.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { AgentSettings } from "./types.ts";

export interface RequestParts {
  readonly settings: AgentSettings;
  readonly model: AgentSettings["model"];
  readonly tools: readonly Tool[];
  readonly memory: Pick<Memory, "promptSection"> | undefined;
  readonly scope: Scope;
}

export async function requestOf(parts: RequestParts, session: Session): Promise<TurnRequest> {
  const { settings, model, tools, memory, scope } = parts;
  const { instructions, workspace, skills, maxContextTokens, maxAnswerTokens } = settings;
  const about = await lastQuestion(session);
  const system = await systemPrompt({ instructions, workspace, skills, memory, scope }, about);
  const full = fullSettings({
    ...{ agent: settings.name, model, tools, system: () => Promise.resolve(system), events: () => undefined },
    ...(maxContextTokens === undefined ? {} : { maxContextTokens }),
    ...(maxAnswerTokens === undefined ? {} : { maxAnswerTokens }),
  });
  return turnRequest(full, system);
}

/** A memory that is only read, or that does not exist yet: its tools are offered in any case. */
export type ReadMemory = Pick<Memory, "promptSection" | "recall" | "remember">;

/** As the agent would build it, without opening the agent: nothing is written, and no model is asked. */
export async function previewRequest(
  settings: AgentSettings,
  store: Store,
  memory: ReadMemory | undefined,
  key: string,
): Promise<TurnRequest> {
  const scope = settings.scopeOf?.(key) ?? localScope(settings.name);
  const tools = settings.tools({ store, memory, scopeOf: () => scope });
  return await requestOf({ settings, model: settings.model, tools, memory, scope }, store.session(key));
}

/** What memory is chosen by. Empty: nothing was said yet. */
async function lastQuestion(session: Session): Promise<string> {
  for await (const record of session.records({ live: true, reverse: true })) {
    if (record.op === undefined && record.message.role === "user") return messageText(record.message.content);
  }
  return "";
}
