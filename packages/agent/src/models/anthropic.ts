/** A model of Anthropic's, or of a server that speaks its messages. The provider is imported with the first answer. */

import { makeRedactor } from "../secrets/make-redactor.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { checkAnthropic } from "./check-model.ts";
import { makeEventFetch } from "./event-fetch.ts";
import { httpUrl } from "./http-url.ts";
import type { Model } from "./model.ts";
import { readsImagesAndPdf } from "./to-prompt.ts";

export interface AnthropicOptions {
  readonly model: string;
  readonly apiKey: string;
  /** @default "https://api.anthropic.com/v1" */
  readonly url?: string | undefined;
}

export function anthropic(options: AnthropicOptions): Model {
  const { model, apiKey } = options;
  const url = httpUrl(options.url ?? "https://api.anthropic.com/v1");
  return aiSdkModel({
    name: `anthropic:${model}`,
    load: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: url, apiKey, fetch: anthropicFetch })(model);
    },
    providerOptions: () => undefined,
    canRead: readsImagesAndPdf,
    remedies: {
      unreachable: `Is there a network, and is ${url} the right address?`,
      notFound: `Is "${model}" a model that your account can use?`,
      notAllowed: "Check the API key.",
    },
    redact: makeRedactor([apiKey]),
    check: async (signal) => await checkAnthropic({ url, model, apiKey }, signal),
  });
}

const KNOWN_EVENTS = new Set([
  ...["message_start", "message_delta", "message_stop", "error"],
  ...["content_block_start", "content_block_delta", "content_block_stop"],
]);

/** Anthropic adds events as it likes, and asks that unknown ones be ignored. Where usage is missing, 0 stands for unknown. */
const anthropicFetch = makeEventFetch((event) => {
  if (typeof event !== "object" || event === null || !("type" in event)) return undefined;
  if (!KNOWN_EVENTS.has(String(event.type))) return undefined;
  if (event.type === "message_start" && "message" in event)
    return { ...event, message: withUsage(event.message as object, { input_tokens: 0, output_tokens: 0 }) };
  return event.type === "message_delta" ? withUsage(event, { output_tokens: 0 }) : event;
});

function withUsage(holder: object, unknown: object): object {
  const found = "usage" in holder && typeof holder.usage === "object" ? holder.usage : undefined;
  const numbers = Object.entries(found ?? {}).filter(([, value]) => typeof value !== "string");
  return { ...holder, usage: { ...unknown, ...Object.fromEntries(numbers) } };
}
