/** Model messages of the AI SDK, as `generateText` and `streamText` take and give them. */

import { isJsonObject } from "../format/json.ts";
import type { ContentPart, Message, ToolCall } from "../format/message.ts";
import { assistantMessage } from "./assistant-message.ts";
import { notAMessage, type CallNames, type ForeignFormat } from "./foreign-format.ts";
import { foreignOf, keptFields, marked, withFields, type ConvertedMessage, type Fields } from "./foreign.ts";
import { isMedia } from "./media.ts";
import { jsonContent, jsonValue } from "./json-content.ts";
import { typedPart } from "./typed-part.ts";
import { withoutFields } from "./without-fields.ts";

const ROLES = ["system", "user", "assistant", "tool"] as const;

export const AI_SDK_MODEL: ForeignFormat = {
  name: "ai-sdk",
  continues: (before, after, joined = before.role === "tool") =>
    joined && after.role === "tool" && (before.role === "tool" || before.role === "assistant"),
  split: ({ role: given, content, ...fields }) => {
    const role = ROLES.find((each) => each === given);
    if (role === undefined) throw notAMessage(`its role must be one of ${ROLES.join(", ")}`);
    if (typeof content === "string") return [withFields({ role, content }, "ai-sdk", fields)];
    if (!Array.isArray(content)) throw notAMessage("its content must be text or a list of parts");
    const parts = content.map(typedPart);
    if (role === "assistant") {
      const results = parts.filter(({ type }) => type === "tool-result").map(fromResult);
      return [withFields(fromAnswer(parts), "ai-sdk", fields), ...results];
    }
    if (role !== "tool") return [withFields({ role, content: parts.map(fromPart) }, "ai-sdk", fields)];
    const results = parts.filter(({ type }) => type === "tool-result").map(fromResult);
    // Nothing but approvals: only the message as it was gives them back.
    return results.length === 0 ? [{ role, content: "", toolCallId: "" }] : results;
  },
  join: (group, _, names) => {
    const [first, ...others] = group;
    if (first === undefined) return {};
    const { role, content } = first;
    if (role === "tool") return { role, content: group.map((result) => toResult(result, names)) };
    const fields = keptFields(first, "ai-sdk", ["role", "content", "parts"]);
    if (role === "assistant") return { ...fields, role, content: toAnswer(first, others, names) };
    if (typeof content === "string") return { ...fields, role, content };
    return { ...fields, role, content: role === "system" ? toText(content) : content.map(toPart) };
  },
};

function fromResult(part: Fields): ConvertedMessage {
  const { toolCallId: id, toolName, output, ...fields } = withoutFields(part, "type");
  const { type: kind, value, ...rest } = isJsonObject(output) ? output : {};
  const message: Message = {
    role: "tool",
    toolCallId: typeof id === "string" ? id : "",
    ...(typeof toolName === "string" ? { name: toolName } : {}),
    content:
      kind === "content" && Array.isArray(value) ? value.map(typedPart).map(fromPart) : jsonContent(value),
    ...(kind === "error-text" || kind === "error-json" ? { isError: true } : {}),
  };
  const kept = Object.keys(rest).length === 0 ? fields : { ...fields, output: rest };
  const converted = withFields(message, "ai-sdk", kept);
  return kind === "json" || kind === "error-json" ? marked(converted, "ai-sdk", { json: true }) : converted;
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
  return assistantMessage(shown, thoughts, calls);
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
  names: CallNames,
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
  return [
    ...thought,
    ...shown,
    ...toolCalls.map(toToolCall),
    ...results.map((result) => toResult(result, names)),
  ];
}

function toToolCall({ id, name, arguments: input, ...call }: ToolCall): Fields {
  const others = withoutFields(call, "argumentsText");
  return { ...others, type: "tool-call", toolCallId: id, toolName: name, input };
}

function toResult(message: ConvertedMessage, names: CallNames): Fields {
  const { content, toolCallId = "", name = names.get(toolCallId), isError = false } = message;
  const { output, ...fields } = keptFields(message, "ai-sdk", ["type", "toolCallId", "toolName"]);
  const isJson = foreignOf(message, "ai-sdk")?.json === true && typeof content === "string";
  const type =
    typeof content !== "string" ? "content" : `${isError ? "error-" : ""}${isJson ? "json" : "text"}`;
  const value = typeof content !== "string" ? content.map(toPart) : isJson ? jsonValue(content) : content;
  return {
    ...fields,
    type: "tool-result",
    toolCallId,
    toolName: name ?? "unknown",
    output: { ...(isJsonObject(output) ? output : {}), type, value },
  };
}

/** Text is all that a system message can have there. */
function toText(parts: readonly ContentPart[]): string {
  const texts = parts.map((part) =>
    "text" in part && typeof part.text === "string" ? part.text : JSON.stringify(part),
  );
  return texts.join("\n");
}

function toPart(part: ContentPart): Fields {
  if (!isMedia(part)) return part;
  const { type, mediaType, data, name, ...others } = part as typeof part & { readonly name?: string };
  const filename = name === undefined ? {} : { filename: name };
  if (type === "file") return { ...others, type, mediaType, data, ...filename };
  return { ...others, type, image: data, ...(mediaType === "image/*" ? {} : { mediaType }), ...filename };
}
