/** Model messages of the AI SDK, as `generateText` and `streamText` take and give them. */

import { isJsonObject } from "../record/json.ts";
import type { ContentPart, Message, ToolCall } from "../record/message.ts";
import {
  foreignOf,
  marked,
  notAMessage,
  withFields,
  type ConvertedMessage,
  type Fields,
  type ForeignFormat,
} from "./foreign-format.ts";
import { isMedia } from "./media.ts";
import { jsonContent, jsonValue } from "./json-content.ts";
import { withoutFields } from "./without-fields.ts";

const ROLES = ["system", "user", "assistant", "tool"] as const;

export const AI_SDK_MODEL: ForeignFormat = {
  name: "ai-sdk",
  continues: (before, after) => before.role === "tool" && after.role === "tool",
  split: ({ role: given, content, ...fields }) => {
    const role = ROLES.find((each) => each === given);
    if (role === undefined) throw notAMessage(`its role must be one of ${ROLES.join(", ")}`);
    if (typeof content === "string") return [withFields({ role, content }, AI_SDK_MODEL, fields)];
    if (!Array.isArray(content)) throw notAMessage("its content must be text or a list of parts");
    const parts = content.map(checkPart);
    if (role === "assistant") {
      const results = parts.filter(({ type }) => type === "tool-result").map(fromResult);
      return [withFields(fromAnswer(parts), AI_SDK_MODEL, fields), ...results];
    }
    if (role !== "tool") return [withFields({ role, content: parts.map(fromPart) }, AI_SDK_MODEL, fields)];
    const results = parts.filter(({ type }) => type === "tool-result").map(fromResult);
    // Nothing but approvals: only the message as it was gives them back.
    return results.length === 0 ? [{ role, content: "", toolCallId: "" }] : results;
  },
  join: (group) => {
    const [first, ...others] = group;
    if (first === undefined) return {};
    const { role, content } = first;
    if (role === "tool") return { role, content: group.map(toResult) };
    const fields = foreignOf(first, AI_SDK_MODEL)?.fields;
    if (role === "assistant") return { role, content: toAnswer(first, others), ...fields };
    return { role, content: typeof content === "string" ? content : content.map(toPart), ...fields };
  },
};

function checkPart(part: unknown): Fields {
  if (isJsonObject(part) && typeof part["type"] === "string") return part;
  throw notAMessage('each part of its content must have a "type"');
}

function fromResult(part: Fields): ConvertedMessage {
  const { toolCallId: id, toolName, output, ...fields } = withoutFields(part, "type");
  const { type: kind, value, ...rest } = isJsonObject(output) ? output : {};
  const message: Message = {
    role: "tool",
    toolCallId: typeof id === "string" ? id : "",
    ...(typeof toolName === "string" ? { name: toolName } : {}),
    content:
      kind === "content" && Array.isArray(value) ? value.map(checkPart).map(fromPart) : jsonContent(value),
    ...(kind === "error-text" || kind === "error-json" ? { isError: true } : {}),
  };
  const kept = Object.keys(rest).length === 0 ? fields : { ...fields, output: rest };
  const converted = withFields(message, AI_SDK_MODEL, kept);
  return kind === "json" || kind === "error-json"
    ? marked(converted, AI_SDK_MODEL, { json: true })
    : converted;
}

function fromAnswer(parts: readonly Fields[]): Message {
  const calls: ToolCall[] = [];
  const shown: ContentPart[] = [];
  const thoughts: string[] = [];
  for (const part of parts) {
    const { type, toolCallId, toolName, input, text, ...others } = part;
    if (type === "tool-call" && typeof toolCallId === "string" && typeof toolName === "string")
      calls.push({ ...others, id: toolCallId, name: toolName, arguments: input ?? {} });
    else if (type === "reasoning" && typeof text === "string") thoughts.push(text);
    else if (type !== "tool-result") shown.push(fromPart(part));
  }
  const [only] = shown;
  const isPlain =
    shown.length === 1 && only !== undefined && Object.keys(only).length === 2 && "text" in only;
  const hasMore = calls.length + thoughts.length > 0;
  return {
    role: "assistant",
    content: shown.length === 0 && hasMore ? "" : hasMore && isPlain ? String(only.text) : shown,
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n\n") }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

function fromPart(part: Fields): ContentPart {
  const { type, image, data, mediaType, filename, ...others } = part;
  const name = typeof filename === "string" ? { name: filename } : {};
  const isTyped = typeof mediaType === "string";
  if (type === "image" && typeof image === "string")
    return { ...others, type, mediaType: isTyped ? mediaType : "image/*", data: image, ...name };
  if (type === "file" && typeof data === "string" && isTyped)
    return { ...others, type, mediaType, data, ...name };
  return part as ContentPart;
}

function toAnswer(
  { content, reasoning, toolCalls = [] }: Message,
  results: readonly ConvertedMessage[],
): unknown {
  if (typeof content === "string" && toolCalls.length + results.length === 0 && reasoning === undefined)
    return content;
  const shown =
    typeof content !== "string"
      ? content.map(toPart)
      : content === ""
        ? []
        : [{ type: "text", text: content }];
  const thought = reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }];
  return [...thought, ...shown, ...toolCalls.map(toToolCall), ...results.map(toResult)];
}

function toToolCall({ id, name, arguments: input, ...call }: ToolCall): Fields {
  const others = withoutFields(call, "argumentsText");
  return { ...others, type: "tool-call", toolCallId: id, toolName: name, input };
}

function toResult(message: ConvertedMessage): Fields {
  const { content, toolCallId, name, isError = false } = message;
  const kept = foreignOf(message, AI_SDK_MODEL);
  const { output, ...fields } = kept?.fields ?? {};
  const isJson = kept?.json === true && typeof content === "string";
  const type =
    typeof content !== "string" ? "content" : `${isError ? "error-" : ""}${isJson ? "json" : "text"}`;
  const value = typeof content !== "string" ? content.map(toPart) : isJson ? jsonValue(content) : content;
  return {
    type: "tool-result",
    toolCallId: toolCallId ?? "",
    toolName: name ?? "unknown",
    output: { type, value, ...(isJsonObject(output) ? output : {}) },
    ...fields,
  };
}

function toPart(part: ContentPart): Fields {
  if (!isMedia(part)) return part;
  const { type, mediaType, data, name, ...others } = part as typeof part & { readonly name?: string };
  const filename = name === undefined ? {} : { filename: name };
  if (type === "file") return { ...others, type, mediaType, data, ...filename };
  return { ...others, type, image: data, ...(mediaType === "image/*" ? {} : { mediaType }), ...filename };
}
