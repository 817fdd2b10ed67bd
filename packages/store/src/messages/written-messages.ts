/**
 * Messages as the converters write them. The types fit those of the packages `openai`, `@anthropic-ai/sdk` and `ai`, so that a
 * program needs no cast; this package does not depend on them. Kept fields, and parts of a kind that is not listed here, pass
 * through unchanged. Arrays and fields are mutable because they are in those packages.
 */

interface TextPart {
  type: "text";
  text: string;
}

export type WrittenOpenAIMessage =
  | { role: "system" | "developer"; content: string | TextPart[]; name?: string }
  | { role: "user"; content: string | (TextPart | OpenAIImage | OpenAIFile)[]; name?: string }
  | {
      role: "assistant";
      content: string | TextPart[] | null;
      name?: string;
      tool_calls?: WrittenOpenAICall[];
      reasoning_content?: string;
    }
  | { role: "tool"; content: string | TextPart[]; tool_call_id: string };

type WrittenOpenAICall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

interface OpenAIImage {
  type: "image_url";
  image_url: { url: string };
}

interface OpenAIFile {
  type: "file";
  file: { file_data: string; filename?: string };
}

export type WrittenAnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | TextPart[] };

type AnthropicContent = TextPart | AnthropicImage | AnthropicDocument;

type AnthropicBlock =
  | AnthropicContent
  | { type: "tool_use"; id: string; name: string; input: unknown }
  | {
      type: "tool_result";
      tool_use_id: string;
      content: string | AnthropicContent[];
      is_error?: boolean;
    };

interface AnthropicImage {
  type: "image";
  source:
    | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
    | { type: "url"; url: string };
}

interface AnthropicDocument {
  type: "document";
  source: { type: "base64"; media_type: "application/pdf"; data: string } | { type: "url"; url: string };
  title?: string;
}

export type WrittenAiSdkModelMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | (TextPart | AiSdkImage | AiSdkFile)[] }
  | {
      role: "assistant";
      content: string | (TextPart | AiSdkFile | AiSdkReasoning | AiSdkCall | AiSdkResult)[];
    }
  | { role: "tool"; content: AiSdkResult[] };

interface AiSdkImage {
  type: "image";
  image: string;
  mediaType?: string;
}

interface AiSdkFile {
  type: "file";
  data: string;
  mediaType: string;
  filename?: string;
}

interface AiSdkReasoning {
  type: "reasoning";
  text: string;
}

interface AiSdkCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

interface AiSdkResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output:
    | { type: "text" | "error-text"; value: string }
    | { type: "json" | "error-json"; value: JsonValue }
    | { type: "content"; value: TextPart[] };
}

type JsonValue = null | string | number | boolean | JsonValue[] | { [field: string]: JsonValue | undefined };

export type WrittenAiSdkUiMessage = {
  id: string;
  role: "system" | "user" | "assistant";
  parts: AiSdkUiPart[];
};

type AiSdkUiPart =
  | { type: "step-start" }
  | { type: "text" | "reasoning"; text: string; state?: "done" }
  | { type: "file"; mediaType: string; url: string; filename?: string }
  | (AiSdkUiTool & { state: "input-available"; input: unknown })
  | (AiSdkUiTool & { state: "output-available"; input: unknown; output: unknown })
  | (AiSdkUiTool & { state: "output-error"; input: unknown; errorText: string });

interface AiSdkUiTool {
  type: `tool-${string}`;
  toolCallId: string;
}

export type WrittenAiSdkMessage = WrittenAiSdkModelMessage | WrittenAiSdkUiMessage;
