/** From the name of a model in the configuration to the model, with its address and key. */

import {
  chooseModel,
  findLocalModel,
  makeRedactor,
  offlineModel,
  readSecret,
  type HostedModelSettings,
  type HostedProvider,
  type Model,
  type ModelSettings,
} from "@longhand/agent";
import { EXAMPLE_MODELS } from "@longhand/agent/settings";
import type { Config, KeyPlace } from "../config/config.ts";
import type { ConfigEnvironment } from "../config/read-config.ts";

export interface ModelMaker {
  /** "auto": what Ollama has here, else the offline assistant. Nothing is ever sent to a hosted model that was not named. */
  make(spec: string): Promise<Model>;
  /** Why "auto" was the offline assistant. `undefined`: it was not. */
  whyOffline(): string | undefined;
  /** Hides the keys in a text. */
  readonly redact: (text: string) => string;
}

export async function modelMaker(
  config: Config,
  environment: ConfigEnvironment,
  onNotice: (text: string) => void,
): Promise<ModelMaker> {
  const { models } = config;
  const hosted: Partial<Record<HostedProvider, HostedModelSettings>> = {};
  const keys: string[] = [];
  const found: string[] = [];
  for (const place of config.keys) {
    const apiKey = await keyAt(place, environment);
    hosted[place.provider] = {
      url: models[place.provider].url,
      apiKey,
      missingKeyRemedy: missingKeyRemedy(place, config.files),
    };
    if (apiKey === undefined) continue;
    keys.push(apiKey);
    found.push(keyFound(place));
  }
  const settings: ModelSettings = {
    ...hosted,
    ollama: { url: models.ollama.url },
    offline: offlineModel,
    onNotice,
  };
  let whyOffline: string | undefined;
  return {
    redact: makeRedactor(keys),
    make: async (spec) => {
      if (spec !== "auto") return chooseModel(spec, settings);
      const { best, isRunning } = await findLocalModel({ url: models.ollama.url });
      if (best !== undefined) return chooseModel(`ollama:${best}`, settings);
      whyOffline = isRunning
        ? `Ollama at ${models.ollama.url} has no model that can call tools`
        : `Ollama does not run at ${models.ollama.url}`;
      // Offered once, never used: nothing is sent to a hosted model that was not named.
      for (const text of found.splice(0)) onNotice(text);
      return offlineModel();
    },
    whyOffline: () => whyOffline,
  };
}

function keyFound({ provider, variable, isSet, file }: KeyPlace): string {
  return `key found in ${isSet ? variable : (file ?? variable)}: --model ${provider}:${EXAMPLE_MODELS[provider]}`;
}

async function keyAt(
  { variable, file }: KeyPlace,
  environment: ConfigEnvironment,
): Promise<string | undefined> {
  return await readSecret({ environment, name: variable, ...(file === undefined ? {} : { file }) });
}

function missingKeyRemedy({ provider, variable, file }: KeyPlace, files: Config["files"]): string {
  const settings = files.find(({ from }) => from === "home")?.path ?? "longhand.json of the home";
  const inFile =
    file === undefined
      ? `name a file of mode 0600 that holds it as models.${provider}.api_key_file in ${settings}`
      : `write it into ${file} (mode 0600), which is empty or not there`;
  return `set ${variable} in the environment, or ${inFile}`;
}
