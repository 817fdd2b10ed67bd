/** From the name of a model, as people write it in a configuration, to the model. */

import { AgentError } from "../errors.ts";
import { suggestName } from "../suggest-name.ts";
import { anthropic } from "./anthropic.ts";
import { HOSTED_PROVIDERS, type HostedProvider } from "./hosted-providers.ts";
import type { Model } from "./model.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { suggestHostedModel } from "./suggest-model.ts";

export interface HostedModelSettings {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** What a person can do where there is no key. By default: set the provider's usual variable. */
  readonly missingKeyRemedy?: string | undefined;
}

export interface ModelSettings extends Readonly<Partial<Record<HostedProvider, HostedModelSettings>>> {
  readonly ollama?: { readonly url?: string | undefined };
  /** Makes the assistant that needs no model. */
  readonly offline: () => Model;
  readonly onNotice?: (text: string) => void;
}

const PROVIDERS = ["ollama", ...HOSTED_PROVIDERS, "offline"] as const;
const OPENAI_URL = "https://api.openai.com/v1";

/** "ollama:NAME", "openai:NAME", "anthropic:NAME", "ollama" for its default, "offline". MODEL_UNKNOWN says what was meant. */
export function chooseModel(spec: string, settings: ModelSettings): Model {
  const colon = spec.indexOf(":");
  const provider = (colon < 0 ? spec : spec.slice(0, colon)).trim();
  const name = colon < 0 ? "" : spec.slice(colon + 1).trim();
  switch (provider) {
    case "ollama": {
      const notice = settings.onNotice === undefined ? {} : { onNotice: settings.onNotice };
      const url = settings.ollama?.url === undefined ? {} : { url: settings.ollama.url };
      return ollama({ ...(name === "" ? {} : { model: name }), ...url, ...notice });
    }
    case "openai": {
      const { url = OPENAI_URL, apiKey, missingKeyRemedy = "set OPENAI_API_KEY" } = settings.openai ?? {};
      if (url === OPENAI_URL && apiKey === undefined) throw keyMissing(spec, missingKeyRemedy);
      return openaiCompatible({ model: named(spec, name), url, apiKey });
    }
    case "anthropic": {
      const { url, apiKey, missingKeyRemedy = "set ANTHROPIC_API_KEY" } = settings.anthropic ?? {};
      if (apiKey === undefined) throw keyMissing(spec, missingKeyRemedy);
      return anthropic({ model: named(spec, name), apiKey, url });
    }
    case "offline":
      if (name === "") return settings.offline();
      throw unknown(spec, 'write "offline" alone.');
    default:
      throw unknown(spec, suggestion(spec, provider, name));
  }
}

function named(spec: string, name: string): string {
  if (name === "")
    throw unknown(spec, `name a model behind the colon, e.g. "${spec.replace(/:$/, "")}:NAME".`);
  return name;
}

function isPartOf(provider: string, known: string): boolean {
  return provider.length > 3 && known.includes(provider.toLowerCase());
}

function suggestion(spec: string, provider: string, name: string): string {
  const near = suggestName(provider, PROVIDERS) ?? PROVIDERS.find((known) => isPartOf(provider, known));
  if (near !== undefined) return `did you mean "${name === "" ? near : `${near}:${name}`}"?`;
  const hosted = suggestHostedModel(spec);
  if (hosted !== undefined) return `did you mean "${hosted}"?`;
  return spec.trim() === ""
    ? 'write e.g. "ollama:gemma4:e4b".'
    : `models are named with their provider, e.g. "ollama:${spec}".`;
}

function unknown(spec: string, remedy: string): AgentError {
  const kinds = '"ollama:NAME", "openai:NAME", "anthropic:NAME" and "offline"';
  return new AgentError("MODEL_UNKNOWN", `unknown model "${spec}": ${remedy} There are ${kinds}.`, { spec });
}

function keyMissing(spec: string, remedy: string): AgentError {
  return new AgentError("MODEL_REFUSED", `the model "${spec}" needs an API key: ${remedy}`, { spec });
}
