/** From the name of a model in the configuration to the model, with its address and key. */

import {
  chooseModel,
  findLocalModel,
  makeRedactor,
  offlineModel,
  readSecret,
  type Model,
  type ModelSettings,
} from "@longhand/agent";
import type { Config } from "../config/config.ts";
import type { ConfigEnvironment } from "../config/read-config.ts";

export interface ModelMaker {
  /** "auto": what Ollama has here, else the offline assistant. Nothing is ever sent to a hosted model that was not named. */
  make(spec: string): Promise<Model>;
  /** Hides the keys in a text. */
  readonly redact: (text: string) => string;
}

export async function modelMaker(
  config: Config,
  environment: ConfigEnvironment,
  onNotice: (text: string) => void,
): Promise<ModelMaker> {
  const { models } = config;
  const openaiKey = await keyOf(config, environment, "openai");
  const anthropicKey = await keyOf(config, environment, "anthropic");
  const settings: ModelSettings = {
    ollama: { url: models.ollama.url },
    openai: { url: models.openai.url, apiKey: openaiKey },
    anthropic: { url: models.anthropic.url, apiKey: anthropicKey },
    offline: offlineModel,
    onNotice,
  };
  return {
    redact: makeRedactor([openaiKey, anthropicKey].filter((key) => key !== undefined)),
    make: async (spec) => {
      if (spec !== "auto") return chooseModel(spec, settings);
      const { best } = await findLocalModel({ url: models.ollama.url });
      return best === undefined ? offlineModel() : chooseModel(`ollama:${best}`, settings);
    },
  };
}

async function keyOf(
  { keys }: Config,
  environment: ConfigEnvironment,
  provider: "openai" | "anthropic",
): Promise<string | undefined> {
  const place = keys.find((key) => key.provider === provider);
  if (place === undefined) return undefined;
  const { variable, file } = place;
  return await readSecret({ environment, name: variable, ...(file === undefined ? {} : { file }) });
}
