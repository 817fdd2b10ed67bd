/**
 * Owns the ways to count the tokens of messages: the standard one, and the formulas of the agents that users come from, by
 * name, so that thresholds set there mean the same here.
 */

import { LonghandError } from "../../errors.ts";
import type { ContentPart, Message, ToolCall } from "../../format/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { TokenEstimator, ToolSchema } from "../types.ts";

/** Role, separators and whatever else a provider puts around a message. */
const MESSAGE_TOKENS = 4;
/** Around a call or a tool: the id, the kind, braces. */
const CALL_TOKENS = 8;
const TOOL_TOKENS = 8;
/** Of an image of usual size; its base64 says nothing about it. */
const IMAGE_TOKENS = 1500;
const TEXT_BYTES_A_TOKEN = 3;
/** Of a PDF or a recording: more than providers usually count. */
const FILE_BYTES_A_TOKEN = 30;

export const standardEstimator: TokenEstimator = {
  name: "standard",
  tokensOf: estimateTokens,
  tokensOfMessage: (message) =>
    MESSAGE_TOKENS +
    tokensOfContent(message.content) +
    tokensOfOptional(message.name) +
    tokensOfOptional(message.reasoning) +
    tokensOfOptional(message.toolCallId) +
    sum(message.toolCalls ?? [], tokensOfCall),
  tokensOfTool: (tool) =>
    TOOL_TOKENS +
    estimateTokens(tool.name) +
    tokensOfOptional(tool.description) +
    estimateTokens(schemaText(tool)),
};

/**
 * ZeroClaw's first: a message is its bytes by four, rounded up, and four. There calls and ids are part of the content;
 * hence their bytes count here as well.
 */
export const fourCharacterEstimator: TokenEstimator = {
  name: "four-characters",
  tokensOf: (text) => Math.ceil(bytesOf(text) / 4),
  tokensOfMessage: (message) => {
    const calls = message.toolCalls === undefined ? 0 : bytesOf(JSON.stringify(message.toolCalls));
    const bytes = bytesOf(textOf(message.content)) + calls + bytesOf(message.toolCallId ?? "");
    return Math.ceil(bytes / 4) + 4;
  },
};

/** PicoClaw's: characters × 2 / 5 without the remainder, with its additions for parts, calls, media and tools. */
export const twoAndAHalfCharacterEstimator: TokenEstimator = {
  name: "two-and-a-half-characters",
  tokensOf: (text) => twoFifths(charactersOf(text)),
  tokensOfMessage: (message) => {
    const calls = sum(message.toolCalls ?? [], (call) =>
      bytesOf(call.id + "function" + call.name + argumentsText(call)),
    );
    const characters =
      contentCharacters(message) +
      charactersOf(message.reasoning ?? "") +
      calls +
      bytesOf(message.toolCallId ?? "") +
      12;
    return twoFifths(characters) + 256 * partsOf(message.content).filter(isMedia).length;
  },
  tokensOfTool: (tool) =>
    twoFifths(bytesOf(tool.name) + bytesOf(tool.description ?? "") + bytesOf(schemaText(tool)) + 20),
};

const ESTIMATORS: readonly TokenEstimator[] = [
  standardEstimator,
  fourCharacterEstimator,
  twoAndAHalfCharacterEstimator,
];

export function estimatorNamed(name: string): TokenEstimator {
  const found = ESTIMATORS.find((estimator) => estimator.name === name);
  if (found !== undefined) return found;
  const names = ESTIMATORS.map((estimator) => estimator.name).join(", ");
  throw new LonghandError(
    "OPTION_INVALID",
    `there is no token estimator ${JSON.stringify(name)}; there are: ${names}`,
    { option: "estimator", value: name },
  );
}

/** Of the tools that are sent along with a request. */
export function tokensOfTools(tools: readonly ToolSchema[], estimator: TokenEstimator): number {
  return sum(tools, (tool) =>
    estimator.tokensOfTool === undefined
      ? TOOL_TOKENS + estimator.tokensOf(tool.name + (tool.description ?? "") + schemaText(tool))
      : estimator.tokensOfTool(tool),
  );
}

function tokensOfContent(content: Message["content"]): number {
  return typeof content === "string" ? estimateTokens(content) : sum(content, tokensOfPart);
}

function tokensOfPart(part: ContentPart): number {
  const text = textField(part, "text");
  if (part.type === "text" && text !== undefined) return estimateTokens(text);
  if (!isMedia(part)) return estimateTokens(JSON.stringify(part));
  const mediaType = textField(part, "mediaType") ?? "";
  if (part.type === "image" || mediaType.startsWith("image/")) return IMAGE_TOKENS;
  return tokensOfOptional(textField(part, "name")) + tokensOfFile(mediaType, textField(part, "data"));
}

function tokensOfFile(mediaType: string, data: string | undefined): number {
  // How big a file behind a URL is, only the provider will know.
  if (data === undefined || /^https?:/i.test(data)) return IMAGE_TOKENS;
  const bytes = Math.ceil((data.length * 3) / 4);
  if (/^text\/|[/+](?:json|xml|yaml|javascript)$/i.test(mediaType))
    return Math.ceil(bytes / TEXT_BYTES_A_TOKEN);
  return Math.max(IMAGE_TOKENS, Math.ceil(bytes / FILE_BYTES_A_TOKEN));
}

function tokensOfCall(call: ToolCall): number {
  return CALL_TOKENS + estimateTokens(call.name) + estimateTokens(argumentsText(call));
}

function tokensOfOptional(text: string | undefined): number {
  return text === undefined ? 0 : estimateTokens(text);
}

/** On the wire arguments are JSON; some models' were broken and are kept as the text they were. */
function argumentsText(call: ToolCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {});
}

function schemaText(tool: ToolSchema): string {
  if (tool.parameters === undefined) return "";
  try {
    return JSON.stringify(tool.parameters);
  } catch (error) {
    throw new LonghandError(
      "OPTION_INVALID",
      `the parameters of the tool ${JSON.stringify(tool.name)} cannot be written as JSON; give a plain JSON Schema`,
      { option: "tools", tool: tool.name },
      error,
    );
  }
}

/** System messages in parts cost at least their parts, each with 20 characters around it. */
function contentCharacters(message: Message): number {
  const whole = charactersOf(textOf(message.content));
  if (message.role !== "system") return whole;
  return Math.max(
    whole,
    sum(partsOf(message.content), (part) => charactersOf(textOf([part])) + 20),
  );
}

function partsOf(content: Message["content"]): readonly ContentPart[] {
  return typeof content === "string" ? [] : content;
}

function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => textField(part, "text") ?? "").join("");
}

/** Parts are the caller's: a field may be anything. */
function textField(part: ContentPart, name: string): string | undefined {
  const value = (part as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
}

function isMedia(part: ContentPart): boolean {
  return part.type === "image" || part.type === "file";
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Code points, as Go counts runes. */
function charactersOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function twoFifths(characters: number): number {
  return Math.floor((characters * 2) / 5);
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
