/** What the environment says about the configuration. An empty variable counts as not set. */

import { suggestName } from "@longhand/agent/settings";

export interface OverridingVariable {
  readonly name: string;
  /** The field it stands for. */
  readonly field: readonly [string, ...string[]];
  /** The value for the field, which is then checked as any other. `undefined`: it is none. */
  readonly read: (text: string) => string | number | undefined;
  readonly expected: string;
}

const asText = (text: string): string => text;

export const OVERRIDES: readonly OverridingVariable[] = [
  { name: "LONGHAND_MODEL", field: ["agent", "model"], read: asText, expected: "a model" },
  {
    name: "LONGHAND_MAX_CONTEXT_TOKENS",
    field: ["agent", "max_context_tokens"],
    read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
    expected: "a whole number",
  },
  {
    name: "OLLAMA_HOST",
    field: ["models", "ollama", "url"],
    read: ollamaUrl,
    expected: "a host, such as 127.0.0.1:11434",
  },
  { name: "OPENAI_BASE_URL", field: ["models", "openai", "url"], read: asText, expected: "an address" },
];

/** Names in the environment that begin as ours do and are none, with what was probably meant. */
export function misspeltVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly (readonly [name: string, meant: string])[] {
  const known = [...OVERRIDES.map(({ name }) => name), "LONGHAND_HOME", "LONGHAND_DEBUG"];
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith("LONGHAND_") || known.includes(name)) return [];
    const meant = suggestName(name, known);
    return meant === undefined ? [] : [[name, meant] as const];
  });
}

/** As Ollama itself takes it: a host with or without a scheme and a port. One that listens everywhere is reached at home. */
function ollamaUrl(text: string): string | undefined {
  const hasScheme = /^https?:\/\//i.test(text);
  const address = hasScheme ? text : `http://${text.startsWith(":") ? "127.0.0.1" : ""}${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!hasScheme && url.port === "" && !/:80\/?$/.test(text)) url.port = "11434";
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return url.href.replace(/\/$/, "");
}
