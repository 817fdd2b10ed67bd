/**
 * The schema of longhand.json: the one place that knows its fields, their types, bounds and defaults. longhand.schema.json and the table
 * in docs/config.md are held to it by tests.
 */

import { suggestHostedModel, suggestName, TOOL_NAMES } from "@longhand/agent/settings";
import * as z from "zod";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES } from "./default-limits.ts";
import type { Settings } from "./settings.ts";

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "must be 1 to 64 letters, digits, - or _, and begin with a letter or digit",
  );
const model = z
  .string()
  .regex(/^(?:auto|offline|ollama|(?:ollama|openai|anthropic):\S+)$/, { error: explainModel });
const instructions = z.string().max(100_000);
const contextTokens = z.int().min(1000).max(100_000_000);
const answerTokens = z.int().min(1).max(10_000_000);
const historyMessages = z.int().min(2).max(1_000_000);
const steps = z.int().min(1).max(1000);
const url = z
  .string()
  .refine(isPlainUrl, "must be an http:// or https:// address without a user, a password, a ? or a #");
const variable = z
  .string()
  .regex(
    /^[A-Z_][A-Z0-9_]*$/,
    "must be the name of an environment variable, such as OPENAI_API_KEY; never a key itself",
  );
const path = z
  .string()
  .min(1)
  .refine((text) => !text.startsWith("~"), "must be a path; ~ is not understood here, so write it out");
/** A misspelt name would leave a tool there that nobody wants, or take away all others. */
const toolName = z.enum(TOOL_NAMES, { error: ({ input }) => explainToolName(input) });

const hosted = (address: string, key: string, whose: string) =>
  z
    .strictObject({
      url: url.default(address).describe(`Where ${whose} is reached.`),
      api_key_env: variable.default(key).describe("The environment variable that has the key."),
      api_key_file: path
        .optional()
        .describe(
          "A file with the key, mode 0600, for when the variable is not set; relative to longhand.json.",
        ),
    })
    .prefault({});

export const settingsSchema: z.ZodType<Settings> = z.strictObject({
  $schema: z.string().optional().describe("Where the schema of this file is, for editors."),
  agent: z
    .strictObject({
      name: name.default("longhand").describe("What the agent is called."),
      model: model
        .default("auto")
        .describe(
          "auto (a model of Ollama if it runs, else offline), offline, ollama (its default), ollama:NAME, openai:NAME or anthropic:NAME.",
        ),
      instructions: instructions
        .default(
          "You are a helpful assistant. Use your tools where they help, and say so where you do not know.",
        )
        .describe("What the agent is told about itself, before skills and memory."),
      max_context_tokens: contextTokens
        .default(DEFAULT_CONTEXT_TOKENS)
        .describe(
          "Tokens of a whole request to the model, its answer included. Above it the oldest turns are summarised.",
        ),
      max_answer_tokens: answerTokens
        .optional()
        .describe(
          "Tokens of an answer. Without it 4096, or a quarter of max_context_tokens if that is less.",
        ),
      max_history_messages: historyMessages
        .default(DEFAULT_HISTORY_MESSAGES)
        .describe("More messages than this in the view are summarised too."),
      max_steps: steps.default(25).describe("Calls of the model in one turn."),
    })
    .prefault({})
    .describe("The agent of the workspace."),
  agents: z
    .array(
      z.strictObject({
        name: name.describe("What it is called: no two agents have the same name."),
        workspace: path
          .optional()
          .describe("Its directory, relative to longhand.json. Without it workspace-NAME in the home."),
        model: model.optional().describe("As agent.model, which holds without it."),
        instructions: instructions.optional().describe("As agent.instructions, which hold without it."),
        max_context_tokens: contextTokens
          .optional()
          .describe("As agent.max_context_tokens, which holds without it."),
        max_answer_tokens: answerTokens
          .optional()
          .describe("As agent.max_answer_tokens, which holds without it."),
        max_history_messages: historyMessages
          .optional()
          .describe("As agent.max_history_messages, which holds without it."),
        max_steps: steps.optional().describe("As agent.max_steps, which holds without it."),
      }),
    )
    .max(1000)
    .default([])
    .describe("Further agents, each with its own workspace and sessions. Home only."),
  models: z
    .strictObject({
      ollama: z
        .strictObject({ url: url.default("http://127.0.0.1:11434").describe("Where Ollama is reached.") })
        .prefault({}),
      openai: hosted(
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "OpenAI, or a server that speaks as it does,",
      ),
      anthropic: hosted("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "Anthropic"),
    })
    .prefault({})
    .describe("Where models are. Home only: a workspace does not decide where keys and words are sent."),
  tools: z
    .strictObject({
      allow: z.array(toolName).optional().describe("Only these tools. Without it all of them."),
      deny: z.array(toolName).default([]).describe("Never these tools, whatever allow says."),
      exec: z
        .strictObject({
          timeout_seconds: z
            .int()
            .min(1)
            .max(3600)
            .default(100)
            .describe("Seconds after which a command is ended, with everything it started."),
        })
        .prefault({}),
    })
    .prefault({})
    .describe("What agents may use. A workspace can only narrow what the home says."),
  memory: z
    .strictObject({
      enabled: z.boolean().default(true).describe("Whether agents remember beyond a conversation."),
    })
    .prefault({}),
  skills: z
    .strictObject({ enabled: z.boolean().default(true).describe("Whether agents are told of skills.") })
    .prefault({}),
  channels_config: z
    .strictObject({
      session_persistence: z
        .boolean()
        .default(true)
        .describe(
          "false: conversations are kept in memory only, and gone with the process; the chat says so.",
        ),
    })
    .prefault({}),
});

/** As it is published. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return { title: "longhand.json", ...z.toJSONSchema(settingsSchema, { io: "input" }) };
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}

function explainModel({ input }: { readonly input?: unknown }): string {
  const meant = typeof input === "string" ? suggestHostedModel(input) : undefined;
  const known = 'must be "auto", "offline", "ollama", or "ollama:NAME", "openai:NAME" or "anthropic:NAME"';
  return meant === undefined ? known : `${known}; did you mean ${meant}?`;
}

function explainToolName(given: unknown): string {
  const near = typeof given === "string" ? suggestName(given, TOOL_NAMES) : undefined;
  return near === undefined
    ? `there is no such tool; there are: ${TOOL_NAMES.join(", ")}`
    : `there is no such tool; did you mean ${near}?`;
}
