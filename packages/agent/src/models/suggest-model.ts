/** What was probably meant by a model that was named without its provider, such as "gpt-4o". Pure. */

import type { HostedProvider } from "./hosted-providers.ts";

/** A name that is safe to repeat: it looks like a model, and no key of a provider begins like this. */
const HOSTED_NAMES: Readonly<Record<HostedProvider, RegExp>> = {
  openai: /^(?:chatgpt|gpt|o\d)[a-z0-9.-]{0,40}$/i,
  anthropic: /^claude[a-z0-9.@-]{0,40}$/i,
};

/** A model of each provider that its users commonly start with, for examples. */
export const EXAMPLE_MODELS: Readonly<Record<HostedProvider, string>> = {
  openai: "gpt-5-mini",
  anthropic: "claude-sonnet-4-5",
};

/** "openai:gpt-4o" for "gpt-4o", "anthropic:claude-…" for "claude-…". `undefined`: it is the name of no hosted model. */
export function suggestHostedModel(name: string): string | undefined {
  const entries = Object.entries(HOSTED_NAMES) as [HostedProvider, RegExp][];
  const found = entries.find(([, pattern]) => pattern.test(name.trim()));
  return found === undefined ? undefined : `${found[0]}:${name.trim()}`;
}
