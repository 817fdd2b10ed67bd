/** The options of a context, checked and complete. */

import { LonghandError } from "../errors.ts";
import { isJsonObject } from "../format/json.ts";
import { checkOptions, checkValue, count, text, type Check } from "../store/check-options.ts";
import { DEFAULT_CONTEXT_TOKENS } from "./context-defaults.ts";
import { standardEstimator } from "./tokens/estimators.ts";
import type { ContextOptions, TokenEstimator, ToolSchema } from "./types.ts";

const DEFAULT_RESERVE = 4_096;

export interface ContextSettings {
  readonly maxTokens: number;
  /** Infinity: no limit. */
  readonly maxBytes: number;
  readonly reserve: number;
  readonly tools: readonly ToolSchema[];
  readonly system: string;
  readonly model: string | undefined;
  readonly estimator: TokenEstimator;
}

export function contextSettings(of: string, options: ContextOptions = {}): ContextSettings {
  checkOptions(of, options, {
    maxTokens: count,
    maxBytes: count,
    reserve: count,
    tools: toolsCheck,
    system: text,
    model: text,
    estimator: estimatorCheck,
  });
  const { maxTokens = DEFAULT_CONTEXT_TOKENS, maxBytes = Infinity, tools = [], system = "" } = options;
  const { reserve = Math.min(DEFAULT_RESERVE, Math.floor(maxTokens / 4)), model } = options;
  checkTools(of, tools);
  const { estimator = standardEstimator } = options;
  return { maxTokens, maxBytes, reserve, tools, system, model, estimator };
}

/** Their size is that of their JSON: what has none cannot be sent either. */
function checkTools(of: string, tools: readonly ToolSchema[]): void {
  try {
    checkValue(of, "tools", JSON.stringify(tools), text);
  } catch (cause) {
    throw new LonghandError("OPTION_INVALID", `tools of ${of} must be JSON`, { of, option: "tools" }, cause);
  }
}

export const toolsCheck: Check = [isToolList, "an array of tools that each have a name"];

function isToolList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((tool) => isJsonObject(tool) && typeof tool["name"] === "string")
  );
}

export const estimatorCheck: Check = [isEstimator, "an object with name, tokensOf and tokensOfMessage"];

function isEstimator(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["tokensOf"] === "function" &&
    typeof value["tokensOfMessage"] === "function"
  );
}
