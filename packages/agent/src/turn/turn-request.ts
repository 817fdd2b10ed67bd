/** The one place that says what a request of a turn is built from: the turn, its upkeep and `longhand context` use it. */

import type { ContextOptions, ToolSchema } from "@longhand/store/context";
import type { FullSettings } from "./full-settings.ts";

export interface TurnRequest extends ContextOptions {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly maxTokens: number;
  readonly reserve: number;
  readonly model: string;
}

/** `system`: the system prompt, which depends on what the user has said last. */
export function turnRequest(
  { tools, model, maxContextTokens, maxAnswerTokens }: FullSettings,
  system: string,
): TurnRequest {
  return {
    system,
    tools: tools.map(({ schema }) => schema),
    maxTokens: maxContextTokens,
    reserve: maxAnswerTokens,
    model: model.name,
  };
}
