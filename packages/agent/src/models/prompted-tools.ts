/**
 * Tools for models that cannot call any: they are described in the system prompt, and calls are found in what the model writes,
 * as `<tool_call>{"name": …, "arguments": …}</tool_call>`. Whoever uses the model cannot tell.
 *
 * A call counts if its JSON is complete (trailing commas and the like are forgiven), also where the closing tag is missing. What
 * is no such call stays text, exactly as it was written. Text before the first tag is streamed; what follows waits for the end.
 */

import { hermesToolMiddleware } from "@ai-sdk-tool/parser";
import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { holdFromFirstTag } from "./hold-from-first-tag.ts";

export function withPromptedTools(model: LanguageModelV3): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => {
      if (!speaksOfTools(options)) return await model.doStream(options);
      const params = await transformed(model, options);
      const wrapStream = hermesToolMiddleware.wrapStream;
      if (wrapStream === undefined) throw new Error("the middleware for prompted tools has no wrapStream");
      const doStream = async (): Promise<Awaited<ReturnType<LanguageModelV3["doStream"]>>> => {
        const result = await model.doStream(params);
        return { ...result, stream: result.stream.pipeThrough(holdFromFirstTag()) };
      };
      const doGenerate = (): ReturnType<LanguageModelV3["doGenerate"]> => model.doGenerate(params);
      return await wrapStream({ doGenerate, doStream, params, model });
    },
  };
}

async function transformed(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
): Promise<LanguageModelV3CallOptions> {
  const { transformParams } = hermesToolMiddleware;
  if (transformParams === undefined)
    throw new Error("the middleware for prompted tools has no transformParams");
  const { toolCallMiddleware, ...others } = options.providerOptions ?? {};
  const providerOptions = {
    ...others,
    toolCallMiddleware: { ...toolCallMiddleware, emitRawToolCallTextOnError: true },
  };
  return await transformParams({ type: "stream", params: { ...options, providerOptions }, model });
}

function speaksOfTools(options: LanguageModelV3CallOptions): boolean {
  if ((options.tools ?? []).length > 0) return true;
  return options.prompt.some((message) => message.role === "tool");
}
