/**
 * Messages of the OpenAI chat API, and of those that speak as it does: PicoClaw, Ollama, vLLM, llama.cpp.
 * `toOpenAI(fromOpenAI(messages))` is deep-equal to `messages`. docs/messages.md
 */

import { isJsonObject } from "../format/json.ts";
import type { ContentPart, Message } from "../format/message.ts";
import { fromArgumentsText, toArgumentsText, type CallWithText } from "./call-arguments.ts";
import { fromForeign, notAMessage, toForeign, type ForeignFormat } from "./foreign-format.ts";
import { foreignOf, keptFields, withFields, type ConvertedMessage, type Fields } from "./foreign.ts";
import { fromMediaUrl, isMedia, toMediaUrl } from "./media.ts";
import { typedPart } from "./typed-part.ts";
import { withoutFields } from "./without-fields.ts";
import type { WrittenOpenAIMessage } from "./written-messages.ts";

export interface OpenAIToolCall {
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: unknown };
}

export interface OpenAIMessage {
  readonly role: string;
  readonly content?: string | readonly object[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly OpenAIToolCall[] | null;
  readonly tool_call_id?: string;
}

/** Throws MESSAGE_INVALID with the number of a value that is not such a message. */
export function fromOpenAI(messages: readonly OpenAIMessage[]): ConvertedMessage[] {
  return fromForeign(() => OPENAI, messages);
}

export function toOpenAI(messages: readonly Message[]): WrittenOpenAIMessage[] {
  const formats = messages.map(() => OPENAI);
  return toForeign(formats, messages) as WrittenOpenAIMessage[];
}

/** The field that a message has in this format instead of ours. `undefined`: it has none. */
export function openAIField(message: unknown): "tool_calls" | "tool_call_id" | undefined {
  if (!isJsonObject(message)) return undefined;
  return OPENAI_FIELDS.find((field) => {
    // A getter is not called here: the store reads each field once, when it keeps the message.
    const property = Object.getOwnPropertyDescriptor(message, field);
    return property !== undefined && (property.get !== undefined || property.value !== undefined);
  });
}

const OPENAI_FIELDS = ["tool_calls", "tool_call_id"] as const;

/** A message that may be in this format as one of ours; any other as it is. */
export function mapOpenAIShape<M extends Message>(message: M): M {
  if (openAIField(message) === undefined) return message;
  const [converted = message] = fromOpenAI([message]);
  // The caller's type describes messages of ours, which this one was not until now.
  return converted as M;
}

/** `developer` is OpenAI's newer word for `system`. */
const ROLES: Readonly<Record<string, Message["role"]>> = {
  ...{ system: "system", developer: "system", user: "user", assistant: "assistant", tool: "tool" },
};

/** Our own names, in case a message has some of them already. */
const OWN_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  isError: (value) => typeof value === "boolean",
  reasoning: (value) => typeof value === "string",
  model: (value) => typeof value === "string",
  usage: isJsonObject,
  stopReason: (value) => typeof value === "string",
};

const OPENAI: ForeignFormat = {
  name: "openai",
  continues: () => false,
  split: (message) => [fromMessage(message)],
  join: ([message]) => (message === undefined ? {} : toMessage(message)),
};

function fromMessage(message: Fields): ConvertedMessage {
  const {
    role: given,
    content,
    name,
    tool_calls,
    tool_call_id,
    reasoning_content,
    ...others
  } = withoutFields(message, "foreign");
  const role = ownRole(given);
  if (role === undefined) throw notAMessage(`its role must be one of ${Object.keys(ROLES).join(", ")}`);
  const calls = Array.isArray(tool_calls) ? tool_calls.map(fromCall) : [];
  const isOwn = ([field, value]: readonly [string, unknown]): boolean => OWN_FIELDS[field]?.(value) === true;
  const converted: Message = {
    role,
    content: fromContent(content),
    ...(typeof name === "string" ? { name } : {}),
    ...Object.fromEntries(Object.entries(others).filter(isOwn)),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(role === "tool" ? { toolCallId: typeof tool_call_id === "string" ? tool_call_id : "" } : {}),
    ...(typeof reasoning_content === "string" ? { reasoning: reasoning_content } : {}),
  };
  return withFields(converted, "openai", {
    ...(given === role ? {} : { role: given }),
    ...Object.fromEntries(Object.entries(others).filter((entry) => !isOwn(entry))),
  });
}

function fromCall(call: unknown): CallWithText {
  const { id, type = "function", function: called, custom, ...others } = isJsonObject(call) ? call : {};
  const body = type === "custom" ? custom : called;
  const { name, arguments: given, input } = isJsonObject(body) ? body : { ...others };
  const text = type === "custom" ? input : given;
  return {
    ...others,
    ...(type === "function" ? {} : { type }),
    id: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    ...(typeof text === "string" ? fromArgumentsText(text) : { arguments: text ?? {} }),
  };
}

function ownRole(role: unknown): Message["role"] | undefined {
  return typeof role === "string" && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
}

const WRITTEN = ["content", "name", "tool_calls", "tool_call_id", "reasoning_content"] as const;

function toMessage(message: ConvertedMessage): Fields {
  const { role, content, name, toolCalls = [], toolCallId, reasoning } = message;
  const { role: kept, ...fields } = keptFields(message, "openai", WRITTEN);
  const given = toContent(content);
  const isFromHere = foreignOf(message, "openai") !== undefined;
  return {
    ...fields,
    role: ownRole(kept) === role ? kept : role,
    content: given === "" && toolCalls.length > 0 ? null : given,
    ...(name === undefined ? {} : { name }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toCall) }),
    ...(role === "tool" ? { tool_call_id: toolCallId ?? "" } : {}),
    // Not a field of OpenAI's own API: only for those that have sent it.
    ...(isFromHere && reasoning !== undefined ? { reasoning_content: reasoning } : {}),
  };
}

function toCall(call: CallWithText): Fields {
  const given: CallWithText & { readonly type?: string } = call;
  const { id, name, type, ...others } = withoutFields(given, "arguments", "argumentsText");
  const text = toArgumentsText(call);
  return type === "custom"
    ? { ...others, id, type, custom: { name, input: text } }
    : { ...others, id, type: type ?? "function", function: { name, arguments: text } };
}

function fromContent(content: unknown): Message["content"] {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) throw notAMessage("its content must be text, a list of parts or null");
  return content.map(fromPart);
}

function fromPart(given: unknown): ContentPart {
  const part = typedPart(given);
  const { type, image_url: image, file, ...others } = part;
  if (type === "image_url" && isJsonObject(image) && typeof image["url"] === "string") {
    const { url, ...details } = image;
    return { ...others, ...details, type: "image", ...fromMediaUrl(url, "image/*") };
  }
  if (type === "file" && isJsonObject(file) && typeof file["file_data"] === "string") {
    const { file_data: data, filename, ...details } = file;
    const name = typeof filename === "string" ? { name: filename } : {};
    return {
      ...others,
      ...details,
      type: "file",
      ...fromMediaUrl(data, "application/octet-stream"),
      ...name,
    };
  }
  return part;
}

function toContent(content: Message["content"]): string | readonly Fields[] {
  return typeof content === "string" ? content : content.map(toPart);
}

function toPart(part: ContentPart): Fields {
  if (!isMedia(part)) return part;
  const { type, mediaType, data, name, ...details } = part as typeof part & { readonly name?: string };
  const url = toMediaUrl({ mediaType, data });
  if (type === "image") return { type: "image_url", image_url: { ...details, url } };
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file", file: { ...details, file_data: url, ...filename } };
}
