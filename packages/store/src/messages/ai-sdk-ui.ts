/** UI messages of the AI SDK, as `useChat` shows and applications store them: one for a whole answer with its steps. */

import type { ContentPart, Message, ToolCall } from "../format/message.ts";
import { notAMessage, type CallNames, type ForeignFormat } from "./foreign-format.ts";
import { foreignOf, keptFields, marked, withFields, type ConvertedMessage, type Fields } from "./foreign.ts";
import { jsonContent, jsonValue } from "./json-content.ts";
import { fromMediaUrl, isMedia, toMediaUrl } from "./media.ts";
import { typedPart } from "./typed-part.ts";

const ROLES = ["system", "user", "assistant"] as const;

export const AI_SDK_UI: ForeignFormat = {
  name: "ai-sdk-ui",
  // A result is a part of the call's message: it never begins one.
  continues: (before, after, joined = true) =>
    isAnswer(before) && isAnswer(after) && (joined || after.role === "tool"),
  split: ({ role: given, parts, ...fields }) => {
    const role = ROLES.find((each) => each === given);
    if (role === undefined) throw notAMessage(`its role must be one of ${ROLES.join(", ")}`);
    if (!Array.isArray(parts)) throw notAMessage("its parts must be a list");
    const checked = parts.map(typedPart);
    const [first, ...others] =
      role === "assistant" ? stepsOf(checked).flatMap(fromStep) : [{ role, content: contentOf(checked) }];
    const own = withFields(first ?? { role, content: "" }, "ai-sdk-ui", fields);
    // Every one is marked: the way back must tell them from model messages.
    return [own, ...others].map((message) => marked(message, "ai-sdk-ui", {}));
  },
  join: (group, index, names) => {
    const [first] = group;
    if (first === undefined) return {};
    const role = isAnswer(first) ? "assistant" : first.role;
    const parts = role === "assistant" ? toSteps(group, names) : toParts(first.content);
    const { id = `message-${index + 1}`, ...fields } = keptFields(first, "ai-sdk-ui", ["role", "parts"]);
    return { ...fields, id, role, parts };
  },
};

function isAnswer({ role }: Message): boolean {
  return role === "assistant" || role === "tool";
}

function stepsOf(parts: readonly Fields[]): Fields[][] {
  const steps: Fields[][] = [];
  for (const part of parts) {
    const last = steps.at(-1);
    if (part["type"] === "step-start") steps.push([]);
    else if (last === undefined) steps.push([part]);
    else last.push(part);
  }
  return steps;
}

function fromStep(parts: readonly Fields[]): ConvertedMessage[] {
  const tools = parts.filter((part) => toolName(part) !== undefined);
  const thoughts = parts.filter(({ type, text }) => type === "reasoning" && typeof text === "string");
  const shown = parts.filter((part) => !tools.includes(part) && !thoughts.includes(part));
  const answer: Message = {
    role: "assistant",
    content: contentOf(shown),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.map(({ text }) => text).join("\n\n") }),
    ...(tools.length === 0 ? {} : { toolCalls: tools.map(toolCall) }),
  };
  return [answer, ...tools.flatMap(fromResult)];
}

function toolName({ type, toolName: dynamic }: Fields): string | undefined {
  if (type === "dynamic-tool") return typeof dynamic === "string" ? dynamic : "";
  return typeof type === "string" && type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}

function toolCall(part: Fields): ToolCall {
  const { toolCallId: id, input, rawInput } = part;
  return {
    id: typeof id === "string" ? id : "",
    name: toolName(part) ?? "",
    arguments: input ?? rawInput ?? {},
  };
}

/** None where the tool has not answered yet. */
function fromResult(part: Fields): ConvertedMessage[] {
  const { toolCallId: id, state, output, errorText } = part;
  if (state !== "output-available" && state !== "output-error") return [];
  const message: Message = {
    role: "tool",
    toolCallId: typeof id === "string" ? id : "",
    name: toolName(part) ?? "",
    content: jsonContent(state === "output-error" ? errorText : output),
    ...(state === "output-error" ? { isError: true } : {}),
  };
  const isText = state === "output-error" || typeof output === "string";
  return [isText ? message : marked(message, "ai-sdk-ui", { json: true })];
}

/** One text is text; anything more is a list of parts. */
function contentOf(parts: readonly Fields[]): Message["content"] {
  const [only] = parts;
  if (only === undefined) return "";
  if (parts.length === 1 && only["type"] === "text" && typeof only["text"] === "string") return only["text"];
  return parts.map(fromPart);
}

function fromPart(part: Fields): ContentPart {
  const { type, mediaType, url, filename, ...others } = part;
  if (type !== "file" || typeof url !== "string" || typeof mediaType !== "string") return part as ContentPart;
  const kind = mediaType.startsWith("image/") ? "image" : "file";
  const name = typeof filename === "string" ? { name: filename } : {};
  return { ...others, type: kind, ...fromMediaUrl(url, mediaType), ...name };
}

/** As the AI SDK stores an answer that has ended. A result that no call takes is a part of its own. */
function toSteps(group: readonly ConvertedMessage[], names: CallNames): Fields[] {
  const results = group.filter(({ role }) => role === "tool");
  const takeResult = (id: string): ConvertedMessage | undefined => {
    const index = results.findIndex(({ toolCallId }) => toolCallId === id);
    return index < 0 ? undefined : results.splice(index, 1)[0];
  };
  const steps = group
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content, reasoning, toolCalls = [] }) => [
      { type: "step-start" },
      ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning, state: "done" }]),
      ...(content === "" ? [] : toParts(content).map(done)),
      ...toolCalls.map((call) => toToolPart(call, takeResult(call.id))),
    ]);
  const unmatched = results.map((result) => {
    const { toolCallId: id = "", name = names.get(id) ?? "unknown" } = result;
    return toToolPart({ id, name, arguments: {} }, result);
  });
  return [...steps, ...unmatched];
}

function done(part: Fields): Fields {
  return part["type"] === "text" && part["state"] === undefined ? { ...part, state: "done" } : part;
}

function toToolPart({ id, name, arguments: input }: ToolCall, result: ConvertedMessage | undefined): Fields {
  const part = { type: `tool-${name}`, toolCallId: id };
  if (result === undefined) return { ...part, state: "input-available", input };
  const { content, isError } = result;
  if (isError === true) return { ...part, state: "output-error", input, errorText: jsonContent(content) };
  const isJson = foreignOf(result, "ai-sdk-ui")?.json === true && typeof content === "string";
  return { ...part, state: "output-available", input, output: isJson ? jsonValue(content) : content };
}

function toParts(content: Message["content"]): Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content.map(toPart);
}

function toPart(part: ContentPart): Fields {
  if (!isMedia(part)) return part;
  const { mediaType, data, name, ...others } = part as typeof part & { readonly name?: string };
  const filename = name === undefined ? {} : { filename: name };
  return { ...others, type: "file", mediaType, url: toMediaUrl({ mediaType, data }), ...filename };
}
