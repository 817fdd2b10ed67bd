/** Any language model of the AI SDK (version 3 of its specification, AI SDK 6) as a model of ours. */

import type { LanguageModelV3, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { aiSdkModel } from "./ai-sdk-model.ts";
import type { Model } from "./model.ts";
import { readsImagesAndPdf } from "./to-prompt.ts";

export interface FromAiSdkOptions {
  /** @default provider and id of the model, e.g. "google.generative-ai:gemini-3" */
  readonly name?: string;
  /** Handed to the provider with each request. */
  readonly providerOptions?: SharedV3ProviderOptions;
  /** Hides secrets in error messages. @default nothing is hidden */
  readonly redact?: (text: string) => string;
}

export function fromAiSdk(model: LanguageModelV3, options: FromAiSdkOptions = {}): Model {
  return aiSdkModel({
    name: options.name ?? `${model.provider}:${model.modelId}`,
    load: () => Promise.resolve(model),
    providerOptions: () => options.providerOptions,
    canRead: readsImagesAndPdf,
    remedies: {
      unreachable: "Is its server running, and is there a network?",
      notAllowed: "Check the key that the provider was made with.",
      notFound: "Check the name of the model and the address of the server.",
    },
    redact: options.redact ?? ((text) => text),
  });
}
