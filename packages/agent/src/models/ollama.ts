/** A model that Ollama runs, on this machine as a rule. The provider is imported with the first answer. docs/models.md */

import type { LanguageModelV3 } from "@ai-sdk/provider";
import { AgentError, isAgentError } from "../errors.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { checkOllama } from "./check-model.ts";
import { httpUrl } from "./http-url.ts";
import type { Model, ModelRequest } from "./model.ts";
import { capabilitiesIn, showOllamaModel } from "./ollama-api.ts";
import { ollamaFetch } from "./ollama-fetch.ts";

export const DEFAULT_OLLAMA_MODEL = "gemma4:e4b";
export const DEFAULT_OLLAMA_URL = "http://127.0.0.1:11434";

export interface OllamaOptions {
  /** @default "gemma4:e4b" */
  readonly model?: string;
  /** @default "http://127.0.0.1:11434" */
  readonly url?: string;
  /** Told once if it cannot be found out whether the model can call tools. */
  readonly onNotice?: (text: string) => void;
}

const PROBE_LIMIT = 10_000;

export function ollama(options: OllamaOptions = {}): Model {
  const { model = DEFAULT_OLLAMA_MODEL, onNotice = () => undefined } = options;
  const url = httpUrl(options.url ?? DEFAULT_OLLAMA_URL);
  const loaded = new LoadedOllama(url, model, onNotice);
  return aiSdkModel({
    name: `ollama:${model}`,
    load: async (request, signal) => await loaded.forRequest(request, signal),
    // Ollama takes a small context of its own choice otherwise, and forgets the beginning without a word.
    providerOptions: (request) => ({
      ollama: { options: { num_ctx: request.contextTokens, num_predict: request.maxTokens } },
    }),
    canRead: (mediaType, isUrl) => mediaType.startsWith("image/") && !isUrl,
    remedies: {
      unreachable: `Start it with "ollama serve" (from https://ollama.com); asked at ${url}.`,
      notFound: `Get the model with "ollama pull ${model}".`,
      notAllowed: `Ollama at ${url} wants a key or does not allow this machine.`,
    },
    redact: (text) => text,
    check: async (signal) => await checkOllama(url, model, signal),
  });
}

/** Remembers what the model can do, once Ollama has said it. */
class LoadedOllama {
  readonly #url: string;
  readonly #model: string;
  readonly #onNotice: (text: string) => void;
  #canCallTools: boolean | undefined;
  #toldNotice = false;

  constructor(url: string, model: string, onNotice: (text: string) => void) {
    this.#url = url;
    this.#model = model;
    this.#onNotice = onNotice;
  }

  async forRequest(request: ModelRequest, signal: AbortSignal): Promise<LanguageModelV3> {
    const { createOllama } = await import("ollama-ai-provider-v2");
    const native = createOllama({ baseURL: `${this.#url}/api`, fetch: ollamaFetch })(this.#model);
    const usesTools = request.tools.length > 0 || request.messages.some((message) => message.role === "tool");
    if (!usesTools || (await this.#probe(signal))) return native;
    const { withPromptedTools } = await import("./prompted-tools.ts");
    return withPromptedTools(native);
  }

  async #probe(signal: AbortSignal): Promise<boolean> {
    if (this.#canCallTools !== undefined) return this.#canCallTools;
    const question = { url: this.#url, within: PROBE_LIMIT, signal };
    const shown = await showOllamaModel(question, this.#model).catch((error: unknown) => {
      // Slow is not absent: the chat itself is tried nevertheless.
      if (isAgentError(error, "MODEL_STALLED")) return { status: 0, body: undefined };
      throw error;
    });
    if (shown.status === 404)
      throw new AgentError(
        "MODEL_REFUSED",
        `Ollama has no such model. Get it with "ollama pull ${this.#model}".`,
        {
          status: 404,
        },
      );
    const capabilities = capabilitiesIn(shown);
    if (capabilities === undefined) return this.#assumeNone();
    this.#canCallTools = capabilities.includes("tools");
    return this.#canCallTools;
  }

  #assumeNone(): false {
    if (!this.#toldNotice)
      this.#onNotice(
        `Ollama at ${this.#url} does not say whether ${this.#model} can call tools; it is asked to write calls as text`,
      );
    this.#toldNotice = true;
    return false;
  }
}
