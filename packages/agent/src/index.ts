/** `@longhand/agent`: every public name. docs/agent.md */

export { MOST_LINE_BYTES } from "./channels/parse-line.ts";
export { serveLines, type ServeOptions } from "./channels/serve-lines.ts";
export {
  placeOfKey,
  scopeOfPlace,
  sessionKeyOf,
  type ChatKind,
  type ChatPlace,
} from "./channels/session-key.ts";
export { splitLines, type UnusableLine } from "./channels/split-lines.ts";
export {
  AGENT_ERROR_CODES,
  AgentError,
  isAgentError,
  PROBLEM_CODES,
  type AgentErrorCode,
  type ProblemCode,
} from "./errors.ts";
export type { AgentEvent, EventPlace, EventSink, TurnEvent, TurnOutcome } from "./events.ts";
export { localScope } from "./loop/local-scope.ts";
export { previewRequest, type ReadMemory } from "./loop/request-of.ts";
export { openLoop } from "./loop/open-loop.ts";
export type {
  AgentInstance,
  AgentLoop,
  AgentSettings,
  CaughtUp,
  ConsolidationSettings,
  Conversation,
  LoopOptions,
  Problem,
  ToolSurroundings,
} from "./loop/types.ts";
export { anthropic, type AnthropicOptions } from "./models/anthropic.ts";
export { askModelOf, type AskModelOptions } from "./models/ask-model.ts";
export { chooseModel, type HostedModelSettings, type ModelSettings } from "./models/choose-model.ts";
export { findLocalModel, type FindLocalModelOptions, type LocalModels } from "./models/find-local-model.ts";
export { fromAiSdk, type FromAiSdkOptions } from "./models/from-ai-sdk.ts";
export type { HostedProvider } from "./models/hosted-providers.ts";
export type {
  FinishReason,
  Model,
  ModelCheck,
  ModelEvent,
  ModelRequest,
  ReportedUsage,
} from "./models/model.ts";
export { DEFAULT_OLLAMA_MODEL, ollama, type OllamaOptions } from "./models/ollama.ts";
export { openaiCompatible, type OpenaiCompatibleOptions } from "./models/openai-compatible.ts";
export { OFFLINE_MODEL, offlineModel } from "./offline/offline-model.ts";
export { NOTICE as OFFLINE_NOTICE } from "./offline/offline-words.ts";
export { makeRedactor } from "./secrets/make-redactor.ts";
export { readSecret, type SecretSource } from "./secrets/read-secret.ts";
export { BUILT_IN_SKILLS, findSkills, type SkillPlaces } from "./skills/find-skills.ts";
export { loadSkillTool } from "./skills/load-skill-tool.ts";
export type { InvalidSkill, Skill, Skills } from "./skills/types.ts";
export { builtInTools, type BuiltInToolsOptions } from "./tools/built-in-tools.ts";
export type { SearchedConversations } from "./tools/recall-conversations.ts";
export { recallTool, type MemorySourceOfTools } from "./tools/recall.ts";
export { rememberTool } from "./tools/remember.ts";
export { findSandbox, type CommandLimits, type NoSandbox, type Sandbox } from "./tools/sandbox.ts";
export {
  defineTool,
  type ApprovalQuestion,
  type Approve,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutput,
} from "./tools/tool.ts";
export { chooseTools, type ToolChoice } from "./tools/tool-set.ts";
export { redoTurn, type RedoneTurn } from "./turn/redo-turn.ts";
export { rewindTurn, type RewoundTurn } from "./turn/rewind-turn.ts";
export type { TurnRequest } from "./turn/turn-request.ts";
export type { RetrySettings, Said, TurnResult } from "./turn/types.ts";
