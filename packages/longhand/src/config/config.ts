/** The configuration as the program uses it: everything decided, and where each value came from. */

import type { HostedProvider } from "@longhand/agent/settings";
import type { ConfigProblem } from "./config-file.ts";
import type { Settings } from "./settings.ts";

export interface Config extends Pick<Settings, "models" | "tools" | "memory" | "skills" | "channels_config"> {
  /** The agent of the workspace first. */
  readonly agents: readonly [AgentConfig, ...AgentConfig[]];
  /** Every field, in the order of the schema. */
  readonly values: readonly ConfigValue[];
  readonly files: readonly {
    readonly from: "workspace" | "home";
    readonly path: string;
    readonly exists: boolean;
    /** It appeared in the workspace after that was approved: it is not read. */
    readonly isUnapproved: boolean;
  }[];
  /** Keys are named by where they are looked for; never what they are. */
  readonly keys: readonly KeyPlace[];
}

export interface AgentConfig {
  readonly name: string;
  /** Whole paths. */
  readonly workspace: string;
  /** The directory in the home that holds the record of the workspace. */
  readonly state: string;
  readonly sessions: string;
  readonly memory: string;
  readonly model: string;
  readonly instructions: string;
  readonly max_context_tokens: number;
  readonly max_answer_tokens: number;
  readonly max_history_messages: number;
  readonly max_steps: number;
}

export interface ConfigValue {
  readonly field: string;
  /** `null`: not set, and that has a meaning of its own. */
  readonly value: unknown;
  readonly source: "environment" | "workspace" | "home" | "default";
  /** For a person: the variable, or the file and line. */
  readonly from: string;
}

export interface KeyPlace {
  readonly provider: HostedProvider;
  readonly variable: string;
  /** The variable has something in it. */
  readonly isSet: boolean;
  /** Whole path; looked into where the variable is not set. */
  readonly file: string | undefined;
}

/** Either of the two. */
export interface ExaminedConfig {
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
  readonly files: Config["files"];
}
