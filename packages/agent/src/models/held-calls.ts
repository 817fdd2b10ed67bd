/** The tool calls of one answer, until it is certain that the answer was not cut off. */

import type { LanguageModelV3ToolCall } from "@ai-sdk/provider";
import { tryParseJson } from "../parse-json.ts";
import { contradictionIn } from "./prompted-arguments.ts";
import type { FinishReason, ModelEvent } from "./model.ts";

type Call = Extract<ModelEvent, { type: "tool-call" }>;

export class HeldCalls {
  readonly #calls: Call[] = [];

  /** Calls that the provider has already executed by itself are no business of ours. */
  hold(part: LanguageModelV3ToolCall): void {
    if (part.providerExecuted === true) return;
    const written = part.input.trim() === "" ? "{}" : part.input;
    this.#calls.push({
      type: "tool-call",
      id: part.toolCallId,
      arguments: written,
      ...contradictionIn(part.toolName),
    });
  }

  /** An answer that ran out of room may end within a call: one whose arguments are no JSON then is left out. */
  release(reason: FinishReason): readonly Call[] {
    if (reason !== "length") return this.#calls;
    return this.#calls.filter((call) => tryParseJson(call.arguments) !== undefined);
  }
}
