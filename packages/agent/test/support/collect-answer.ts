/** One answer of a model, whole: what was said, what was called, and how it ended. */

import type { Message } from "@longhand/store";
import type { ToolSchema } from "@longhand/store/context";
import type { Model, ModelEvent } from "../../src/models/model.ts";

export interface CollectedAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
    readonly refusal?: string;
  }[];
  readonly finish: Extract<ModelEvent, { type: "finish" }> | undefined;
  /** What the stream threw, if it did. */
  readonly error: unknown;
}

export interface Asked {
  readonly messages?: readonly Message[];
  readonly tools?: readonly ToolSchema[];
  readonly contextTokens?: number;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
  /** Called with each event, before the next is asked for. */
  readonly onEvent?: (event: ModelEvent) => void;
}

export const READ_FILE: ToolSchema = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export async function collectAnswer(model: Model, asked: Asked = {}): Promise<CollectedAnswer> {
  const {
    messages = [{ role: "user", content: "Hello" }],
    tools = [],
    contextTokens = 8192,
    maxTokens = 100,
  } = asked;
  let text = "";
  let reasoning = "";
  const calls: Extract<ModelEvent, { type: "tool-call" }>[] = [];
  let finish: Extract<ModelEvent, { type: "finish" }> | undefined;
  let error: unknown;
  try {
    const request = { messages, tools, contextTokens, maxTokens };
    for await (const event of model.stream(request, asked.signal ?? new AbortController().signal)) {
      asked.onEvent?.(event);
      if (event.type === "text") text += event.text;
      else if (event.type === "reasoning") reasoning += event.text;
      else if (event.type === "tool-call") calls.push(event);
      else finish = event;
    }
  } catch (thrown) {
    error = thrown;
  }
  const told = calls.map((call) => ({
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    ...(call.refusal === undefined ? {} : { refusal: call.refusal }),
  }));
  return { text, reasoning, calls: told, finish, error };
}
