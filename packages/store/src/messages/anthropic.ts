/**
 * Messages of the Anthropic API. One user message with several tool results becomes one message for each result.
 * `toAnthropic(fromAnthropic(messages))` is deep-equal to `messages`. docs/messages.md
 */

import { isJsonObject } from "../format/json.ts";
import type { ContentPart, Message, ToolCall } from "../format/message.ts";
import { assistantMessage } from "./assistant-message.ts";
import { fromForeign, notAMessage, toForeign, type ForeignFormat } from "./foreign-format.ts";
import { keptFields, withFields, type ConvertedMessage, type Fields } from "./foreign.ts";
import { isMedia, isUrl } from "./media.ts";
import { isTypedPart, typedPart } from "./typed-part.ts";
import { withoutFields } from "./without-fields.ts";
import type { WrittenAnthropicMessage } from "./written-messages.ts";

export interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** Throws MESSAGE_INVALID with the number of a value that is not such a message. The system prompt is separate there: give it to `buildContext`. */
export function fromAnthropic(messages: readonly AnthropicMessage[]): ConvertedMessage[] {
  return fromForeign(() => ANTHROPIC, messages);
}

export function toAnthropic(messages: readonly Message[]): WrittenAnthropicMessage[] {
  const formats = messages.map(() => ANTHROPIC);
  return toForeign(formats, messages) as WrittenAnthropicMessage[];
}

const ANTHROPIC: ForeignFormat = {
  name: "anthropic",
  // All results of one answer must be in the one message behind it.
  continues: (before, after, joined = before.role === "tool" && after.role === "tool") =>
    joined && isOfUser(before) && isOfUser(after),
  split: ({ role, content, ...fields }) => {
    if (role !== "user" && role !== "assistant" && role !== "system")
      throw notAMessage("its role must be one of user, assistant, system");
    if (typeof content === "string") return [withFields({ role, content }, "anthropic", fields)];
    if (!Array.isArray(content)) throw notAMessage("its content must be text or a list of blocks");
    const blocks = content.map(typedPart);
    if (role === "assistant") return [withFields(fromAnswer(blocks), "anthropic", fields)];
    const [first, ...others] = fromQuestion(role, blocks);
    const own = first ?? { role, content: [] };
    return [own.role === "tool" ? own : withFields(own, "anthropic", fields), ...others];
  },
  join: (group) => {
    const [first] = group;
    if (first === undefined) return {};
    const { role, content } = first;
    if (role === "tool") return { role: "user", content: group.flatMap(toBlocks) };
    const fields = keptFields(first, "anthropic", ["role", "content"]);
    if (role === "assistant") return { ...fields, role, content: toAnswer(first) };
    const isText = group.length === 1 && typeof content === "string";
    return { ...fields, role, content: isText ? content : group.flatMap(toBlocks) };
  },
};

/** Results are blocks of a user's message there. */
function isOfUser({ role }: Message): boolean {
  return role === "user" || role === "tool";
}

/** Results are messages of their own; what stands between them is one message for each run. */
function fromQuestion(role: "user" | "system", blocks: readonly Fields[]): ConvertedMessage[] {
  const messages: ConvertedMessage[] = [];
  let parts: ContentPart[] = [];
  const endRun = (): void => {
    if (parts.length > 0) messages.push({ role, content: parts });
    parts = [];
  };
  for (const block of blocks) {
    if (block["type"] === "tool_result") {
      endRun();
      messages.push(fromResult(block));
    } else parts.push(fromBlock(block));
  }
  endRun();
  return messages;
}

function fromResult(block: Fields): ConvertedMessage {
  const { tool_use_id: id, content, is_error: isError, ...fields } = withoutFields(block, "type");
  const isList = Array.isArray(content) && content.every(isTypedPart);
  const message: Message = {
    role: "tool",
    toolCallId: typeof id === "string" ? id : "",
    content:
      typeof content === "string" ? content : isList ? content.map((part: Fields) => fromBlock(part)) : "",
    ...(typeof isError === "boolean" ? { isError } : {}),
  };
  return withFields(message, "anthropic", fields);
}

function fromAnswer(blocks: readonly Fields[]): Message {
  const calls: ToolCall[] = [];
  const parts: ContentPart[] = [];
  const thoughts: string[] = [];
  for (const block of blocks) {
    const { type, id, name, thinking } = block;
    if (type === "tool_use" && typeof id === "string" && typeof name === "string") {
      const { input: given = {}, ...call } = withoutFields(block, "type");
      calls.push({ ...call, id, name, arguments: given });
    } else if (type === "thinking" && typeof thinking === "string") thoughts.push(thinking);
    // It is encrypted: only its provider can read it.
    else if (type !== "redacted_thinking") parts.push(fromBlock(block));
  }
  return assistantMessage(parts, thoughts, calls);
}

function fromBlock(block: Fields): ContentPart {
  const { type, source, title, ...others } = block;
  if ((type === "image" || type === "document") && isJsonObject(source)) {
    const { type: kind, media_type: mediaType, data, url, ...rest } = source;
    const usual = type === "image" ? "image/*" : "application/pdf";
    const name = typeof title === "string" ? { name: title } : {};
    const media = { ...others, ...rest, type: type === "image" ? "image" : "file", ...name };
    if (kind === "base64" && typeof data === "string" && typeof mediaType === "string")
      return { ...media, mediaType, data };
    if (kind === "url" && typeof url === "string") return { ...media, mediaType: usual, data: url };
  }
  return block as ContentPart;
}

/** Without reasoning: the API takes none without its signature. A message that has one is given back as it was. */
function toAnswer({ content, toolCalls = [] }: Message): unknown {
  if (typeof content === "string" && toolCalls.length === 0) return content;
  const blocks =
    typeof content !== "string"
      ? content.map(toBlock)
      : content === ""
        ? []
        : [{ type: "text", text: content }];
  return [...blocks, ...toolCalls.map(toToolUse)];
}

function toToolUse({ arguments: given, ...call }: ToolCall): Fields {
  const rest = withoutFields(call, "argumentsText");
  // An object, always: the API refuses anything else.
  return {
    ...rest,
    type: "tool_use",
    input: isJsonObject(given) ? given : { invalid_arguments: given ?? null },
  };
}

function toBlocks(message: ConvertedMessage): Fields[] {
  const { role, content, toolCallId = "", isError } = message;
  if (role !== "tool")
    return typeof content === "string" ? [{ type: "text", text: content }] : content.map(toBlock);
  return [
    {
      ...keptFields(message, "anthropic", ["type", "tool_use_id", "content", "is_error"]),
      type: "tool_result",
      tool_use_id: toolCallId,
      content: typeof content === "string" ? content : content.map(toBlock),
      ...(isError === undefined ? {} : { is_error: isError }),
    },
  ];
}

function toBlock(part: ContentPart): Fields {
  if (!isMedia(part)) return part;
  const { type, mediaType, data, name, ...others } = part as typeof part & { readonly name?: string };
  const source = isUrl(data) ? { type: "url", url: data } : { type: "base64", media_type: mediaType, data };
  const title = name === undefined ? {} : { title: name };
  return { ...others, type: type === "image" ? "image" : "document", source, ...title };
}
