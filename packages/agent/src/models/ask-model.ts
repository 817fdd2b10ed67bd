/** A model as summaries and memory need one: text in, text out. */

import { estimateTokens, type AskModel } from "@longhand/store/context";
import { AgentError } from "../errors.ts";
import type { Model } from "./model.ts";

export interface AskModelOptions {
  /** Of the turns of the same agent: Ollama loads a model anew for each other length. @default what the question needs */
  readonly contextTokens?: number;
}

/** Without tools, in one call; what the model thinks beforehand is left out. Retries are the business of whoever asks. */
export function askModelOf(model: Model, options: AskModelOptions = {}): AskModel {
  return async ({ system, user, maxTokens }, signal) => {
    const pieces: string[] = [];
    const messages = [
      { role: "system", content: system },
      { role: "user", content: user },
    ] as const;
    const contextTokens = Math.max(options.contextTokens ?? 0, neededFor(system, user, maxTokens));
    const request = { messages, tools: [], contextTokens, maxTokens };
    let isWhole = false;
    for await (const event of model.stream(request, signal)) {
      if (event.type === "text") pieces.push(event.text);
      if (event.type === "finish") isWhole = true;
    }
    if (!isWhole) throw new AgentError("MODEL_BROKEN", `the answer of ${model.name} was cut off`);
    return pieces.join("");
  };
}

/** A quarter more than estimated, since too little would cut the question off; in steps, so that Ollama loads it seldom. */
function neededFor(system: string, user: string, maxTokens: number): number {
  const estimated = estimateTokens(system) + estimateTokens(user);
  return Math.ceil((estimated * 1.25 + maxTokens + 256) / 8192) * 8192;
}
