/** Turns with a model that says what the test wants. */

import type { Message, Session } from "@longhand/store";
import type { AgentEvent } from "../../../src/events.ts";
import { Mailbox } from "../../../src/kernel/mailbox.ts";
import type { Model, ModelEvent, ModelRequest, ReportedUsage } from "../../../src/models/model.ts";
import type { Tool, ToolContext } from "../../../src/tools/tool.ts";
import { runTurn } from "../../../src/turn/run-turn.ts";
import type { Said, TurnResult, TurnSettings } from "../../../src/turn/types.ts";

/** An answer in its events, an error instead of one, or a stream of one's own. */
export type Scripted =
  readonly ModelEvent[] | Error | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export const UNREPORTED: ReportedUsage = {
  inputTokens: undefined,
  outputTokens: undefined,
  cachedTokens: undefined,
};

export const text = (content: string): ModelEvent => ({ type: "text", text: content });
export const reasoning = (content: string): ModelEvent => ({ type: "reasoning", text: content });
export const finish = (
  reason: Extract<ModelEvent, { type: "finish" }>["reason"] = "stop",
  usage: ReportedUsage = UNREPORTED,
): ModelEvent => ({ type: "finish", reason, usage });
export const call = (id: string, name: string, input: unknown = {}): ModelEvent => ({
  type: "tool-call",
  id,
  name,
  arguments: typeof input === "string" ? input : JSON.stringify(input),
});
export const answer = (content: string): ModelEvent[] => [text(content), finish()];
export const calls = (...events: readonly ModelEvent[]): ModelEvent[] => [...events, finish("tool-calls")];

/** Follows the script; the last entry again and again. `requests`: what it was asked. */
export function scriptedModel(...script: readonly Scripted[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: "scripted",
    requests,
    async *stream(request, signal) {
      const entry = script[requests.length] ?? script.at(-1) ?? [];
      requests.push(request);
      await Promise.resolve();
      if (entry instanceof Error) throw entry;
      yield* typeof entry === "function" ? entry(request, signal) : entry;
    },
  };
}

export function tool(
  name: string,
  run: (input: unknown, context: ToolContext) => Promise<string> | string,
  more: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: name,
    schema: { name },
    isReadOnly: false,
    parse: (input) => ({ input }),
    run: async (input, context) => await run(input, context),
    ...more,
  };
}

export interface Told {
  readonly result: TurnResult;
  readonly events: readonly AgentEvent[];
  readonly messages: readonly Message[];
}

let turns = 0;

export async function say(
  session: Session,
  said: Said | string,
  settings: Pick<TurnSettings, "model"> & Partial<TurnSettings>,
  around: { signal?: AbortSignal; steering?: Mailbox<Said>; onEvent?: (event: AgentEvent) => void } = {},
): Promise<Told> {
  const { signal = new AbortController().signal, steering = new Mailbox<Said>(10), onEvent } = around;
  const events: AgentEvent[] = [];
  turns += 1;
  const result = await runTurn(
    session,
    typeof said === "string" ? { text: said } : said,
    { id: `turn ${turns}`, signal, steering },
    {
      agent: "test",
      tools: [],
      system: () => Promise.resolve("Be brief."),
      retry: { firstPause: 1 },
      ...settings,
      events: (event) => {
        events.push(event);
        onEvent?.(event);
      },
    },
  );
  return { result, events, messages: await session.messages() };
}

/** The events of one type, in order. */
export function ofType<T extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}
