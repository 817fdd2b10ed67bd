/** Whether Ollama runs here, and which of its models an agent had best take. */

import { httpUrl } from "./http-url.ts";
import { capabilitiesIn, listOllamaModels, showOllamaModel } from "./ollama-api.ts";
import { DEFAULT_OLLAMA_MODEL, DEFAULT_OLLAMA_URL } from "./ollama.ts";

export interface LocalModels {
  readonly isRunning: boolean;
  /** All that were pulled. */
  readonly models: readonly string[];
  /** "gemma4:e4b" if it was pulled, else the first that can call tools. */
  readonly best: string | undefined;
}

export interface FindLocalModelOptions {
  /** @default "http://127.0.0.1:11434" */
  readonly url?: string | undefined;
  /** Milliseconds for each question. @default 1000 */
  readonly within?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Never rejects for want of an Ollama; only with the signal's reason, or for an address that is none. */
export async function findLocalModel(options: FindLocalModelOptions = {}): Promise<LocalModels> {
  const { within = 1000, signal } = options;
  const question = { url: httpUrl(options.url ?? DEFAULT_OLLAMA_URL), within, signal };
  const models = await unlessAborted(listOllamaModels(question), signal);
  if (models === undefined) return { isRunning: false, models: [], best: undefined };
  if (models.includes(DEFAULT_OLLAMA_MODEL)) return { isRunning: true, models, best: DEFAULT_OLLAMA_MODEL };
  for (const model of models) {
    const shown = await unlessAborted(showOllamaModel(question, model), signal);
    if (shown !== undefined && capabilitiesIn(shown)?.includes("tools") === true)
      return { isRunning: true, models, best: model };
  }
  return { isRunning: true, models, best: undefined };
}

/** Nobody there, or no answer in time: that is what was asked. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}
