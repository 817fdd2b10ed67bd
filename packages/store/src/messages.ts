/** `@longhand/store/messages`: converters from and to the messages of other programs. docs/messages.md */

export { fromAiSdk, toAiSdk } from "./messages/ai-sdk.ts";
export type { AiSdkMessage, AiSdkModelMessage, AiSdkUiMessage } from "./messages/ai-sdk.ts";
export { fromAnthropic, toAnthropic, type AnthropicMessage } from "./messages/anthropic.ts";
export { fromOpenAI, toOpenAI, type OpenAIMessage, type OpenAIToolCall } from "./messages/openai.ts";
export type { ConvertedMessage, Foreign, ForeignFormatName } from "./messages/foreign.ts";
export type {
  WrittenAiSdkMessage,
  WrittenAiSdkModelMessage,
  WrittenAiSdkUiMessage,
  WrittenAnthropicMessage,
  WrittenOpenAIMessage,
} from "./messages/written-messages.ts";
