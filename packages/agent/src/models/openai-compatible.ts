/** A model behind a server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, LM Studio and many others. */

import { makeRedactor } from "../secrets/make-redactor.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { checkOpenai } from "./check-model.ts";
import { makeEventFetch } from "./event-fetch.ts";
import { httpUrl } from "./http-url.ts";
import type { Model } from "./model.ts";
import { readsImagesAndPdf } from "./to-prompt.ts";

export interface OpenaiCompatibleOptions {
  readonly model: string;
  /** Up to the version, e.g. "https://api.openai.com/v1". */
  readonly url: string;
  /** @default none is sent */
  readonly apiKey?: string | undefined;
}

export function openaiCompatible(options: OpenaiCompatibleOptions): Model {
  const { model, apiKey } = options;
  const url = httpUrl(options.url);
  return aiSdkModel({
    name: `openai:${model}`,
    load: async () => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({
        name: "openai",
        baseURL: url,
        includeUsage: true,
        fetch: openaiFetch,
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(new URL(url).hostname === "api.openai.com" ? { transformRequestBody: renameMaxTokens } : {}),
      });
      return provider(model);
    },
    providerOptions: () => undefined,
    canRead: readsImagesAndPdf,
    remedies: {
      unreachable: `Is the server at ${url} running?`,
      notFound: `Is "${model}" a model of ${url}, and does the address end as the server wants it (often /v1)?`,
      notAllowed: `Check the API key for ${url}.`,
    },
    redact: makeRedactor(apiKey === undefined ? [] : [apiKey]),
    check: async (signal) => await checkOpenai({ url, model, apiKey }, signal),
  });
}

/** OpenAI's own newer models refuse the old name; others know only that one. */
function renameMaxTokens(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens, ...others } = body;
  return max_tokens === undefined ? body : { ...others, max_completion_tokens: max_tokens };
}

/** Words are only in `choices`: an event without them and without an error is none of ours. Nor is a nonsensical usage. */
const openaiFetch = makeEventFetch((event) => {
  if (typeof event !== "object" || event === null) return undefined;
  if ("error" in event && event.error !== null) return { error: normalError(event.error) };
  if (!("choices" in event)) return "usage" in event ? { ...withoutBadUsage(event), choices: [] } : undefined;
  return withoutBadUsage(event);
});

/** Some servers send a bare text, and the provider would not know it for an error. */
function normalError(error: unknown): object {
  if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string")
    return error;
  return { message: typeof error === "string" ? error : JSON.stringify(error) };
}

function withoutBadUsage(event: object): object {
  if (!("usage" in event) || event.usage === null) return event;
  const { usage } = event;
  const isGood = typeof usage === "object" && Object.values(usage).every(isNumberOrDetails);
  return isGood ? event : { ...event, usage: null };
}

function isNumberOrDetails(value: unknown): boolean {
  return typeof value === "number" || typeof value === "object";
}
