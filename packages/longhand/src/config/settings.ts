/** What longhand.json may say, with every default. The names are those of the file. docs/config.md */

import type { HostedProvider } from "@longhand/agent/settings";

export interface Settings {
  readonly $schema?: string | undefined;
  readonly agent: {
    readonly name: string;
    readonly model: string;
    readonly instructions: string;
    readonly max_context_tokens: number;
    readonly max_answer_tokens?: number | undefined;
    readonly max_history_messages: number;
    readonly max_steps: number;
  };
  readonly agents: readonly NamedAgent[];
  readonly models: Readonly<Record<HostedProvider, HostedModels>> & {
    readonly ollama: { readonly url: string };
  };
  readonly tools: {
    readonly allow?: readonly string[] | undefined;
    readonly deny: readonly string[];
    readonly exec: { readonly timeout_seconds: number };
  };
  readonly memory: { readonly enabled: boolean };
  readonly skills: { readonly enabled: boolean };
  readonly channels_config: { readonly session_persistence: boolean };
}

/** What it does not say is as for `agent`. */
export interface NamedAgent {
  readonly name: string;
  readonly workspace?: string | undefined;
  readonly model?: string | undefined;
  readonly instructions?: string | undefined;
  readonly max_context_tokens?: number | undefined;
  readonly max_answer_tokens?: number | undefined;
  readonly max_history_messages?: number | undefined;
  readonly max_steps?: number | undefined;
}

export interface HostedModels {
  readonly url: string;
  /** The name of a variable, never a key. */
  readonly api_key_env: string;
  readonly api_key_file?: string | undefined;
}
