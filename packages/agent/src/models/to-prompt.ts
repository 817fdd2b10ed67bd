/**
 * Our messages as a prompt of the AI SDK. What a provider could not take is replaced by words that say so, since a request that
 * is refused for something in the history would be refused for ever.
 */

import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
} from "@ai-sdk/provider";
import type { ContentPart, Message, ToolCall } from "@longhand/store";
import { assertNever } from "../errors.ts";
import { messageText } from "../message-text.ts";

/** Whether the model can be shown media of this type. */
export type CanRead = (mediaType: string, isUrl: boolean) => boolean;

type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart;
type AssistantPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

export const readsImagesAndPdf: CanRead = (mediaType, isUrl) =>
  mediaType.startsWith("image/") || (mediaType === "application/pdf" && !isUrl);

export function toPrompt(messages: readonly Message[], canRead: CanRead): LanguageModelV3Message[] {
  const names = new Map<string, string>();
  const lastQuestion = messages.findLastIndex((message) => message.role === "user");
  return messages.map((message, index) => {
    for (const call of message.toolCalls ?? []) names.set(call.id, call.name);
    switch (message.role) {
      case "system":
        return { role: "system", content: messageText(message.content, inWords) };
      case "user":
        return { role: "user", content: withSpeaker(message, userParts(message.content, canRead)) };
      case "assistant":
        return { role: "assistant", content: assistantParts(message, index > lastQuestion) };
      case "tool":
        return toolMessage(message, names);
      default:
        return assertNever(message.role);
    }
  });
}

function userParts(content: Message["content"], canRead: CanRead): UserPart[] {
  if (typeof content === "string") return [text(content)];
  return content.map((part) =>
    isMedia(part) ? mediaPart(part, canRead) : text(messageText([part], inWords)),
  );
}

type Media = Extract<ContentPart, { readonly type: "image" | "file"; readonly data: string }>;

function isMedia(part: ContentPart): part is Media {
  return (
    (part.type === "image" || part.type === "file") &&
    typeof (part as Partial<Media>).data === "string" &&
    typeof (part as Partial<Media>).mediaType === "string"
  );
}

function mediaPart(part: Media, canRead: CanRead): UserPart {
  const { mediaType, name } = part;
  const isUrl = /^https?:\/\//i.test(part.data);
  const data = part.data.replace(/^data:[^,]*;base64,/, "");
  if (mediaType.startsWith("text/") && !isUrl)
    return text(`[file ${name ?? mediaType}]\n${Buffer.from(data, "base64").toString()}`);
  if (!canRead(mediaType, isUrl) || (isUrl && !URL.canParse(data))) return text(unreadable(part, isUrl));
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file", mediaType, data: isUrl ? new URL(data) : data, ...filename };
}

function unreadable(part: Media, isUrl: boolean): string {
  const named = part.name === undefined ? "" : ` ${part.name}`;
  const where = isUrl ? ` at ${part.data}` : "";
  return `[${part.type}${named} (${part.mediaType})${where}: this model cannot be shown it]`;
}

/** In a group the model must know who speaks, and no provider has a field for it. */
function withSpeaker(message: Message, parts: UserPart[]): UserPart[] {
  if (message.name === undefined || message.name.trim() === "") return parts;
  const speaker = `${message.name.replace(/\s+/g, " ").trim()}: `;
  const [first, ...others] = parts;
  if (first?.type !== "text") return [text(speaker), ...parts];
  return [text(speaker + first.text), ...others];
}

/** Reasoning goes back only within the turn that it belongs to, where models with tools rely on it; others refuse old one. */
function assistantParts(message: Message, isThisTurn: boolean): AssistantPart[] {
  const words = messageText(message.content, inWords);
  const parts: AssistantPart[] = [];
  if (isThisTurn && message.reasoning !== undefined && message.reasoning !== "")
    parts.push({ type: "reasoning", text: message.reasoning });
  if (words !== "") parts.push(text(words));
  for (const call of message.toolCalls ?? [])
    parts.push({ type: "tool-call", toolCallId: call.id, toolName: call.name, input: inputOf(call) });
  return parts;
}

/** An object, always: with anything else Anthropic and Ollama refuse the whole request. */
function inputOf(call: ToolCall): unknown {
  const value = call.arguments;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value : { invalid_arguments: value ?? null };
}

function toolMessage(message: Message, names: ReadonlyMap<string, string>): LanguageModelV3Message {
  const id = message.toolCallId ?? "";
  const output = {
    type: message.isError === true ? ("error-text" as const) : ("text" as const),
    value: messageText(message.content, inWords),
  };
  const toolName = names.get(id) ?? message.name ?? "unknown";
  return { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName, output }] };
}

function inWords(part: ContentPart): string {
  return isMedia(part) ? unreadable(part, false) : JSON.stringify(part);
}

function text(words: string): LanguageModelV3TextPart {
  return { type: "text", text: words };
}
