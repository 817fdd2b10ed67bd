/** One message of a transcript, as lines. Long things that tools say are folded to a line unless they are wanted whole. */

import type { ContentPart, Message, ToolCall } from "@longhand/store";
import { fitToWidth } from "./display-width.ts";
import { escapeControls, escapeLine, onOneLine } from "./escape-controls.ts";
import { countOf, formatBytes } from "./format-count.ts";
import type { Times } from "./format-time.ts";
import type { Colors } from "./output.ts";
import type { MessageRecord } from "./pair-tool-results.ts";
import { wrapText } from "./wrap-text.ts";

export interface MessageStyle {
  readonly width: number | undefined;
  readonly colors: Colors;
  readonly times: Times;
  /** Tool calls, their results and reasoning whole. */
  readonly full: boolean;
  /** By seq: those that stay in sight of the model. */
  readonly pinned?: ReadonlySet<number>;
}

const INDENT = "  ";
/** Where there is no terminal to fit, a folded line still ends somewhere. */
const FOLDED_WIDTH = 160;
const LONGEST_NAME = 32;

export function renderMessage(
  { seq, at, message }: MessageRecord,
  isLive: boolean,
  results: ReadonlyMap<string, MessageRecord> | undefined,
  style: MessageStyle,
): string[] {
  const { colors } = style;
  const fade = isLive ? (text: string): string => text : colors.dim;
  return [
    heading(message, [...factsOf({ seq, at, message }, style), ...(isLive ? [] : [CUT])], isLive, colors),
    ...reasoningLines(message, style),
    ...bodyLines(message, style).map((line) => fade(line)),
    ...(message.toolCalls ?? []).flatMap((call) => [
      ...callLines(call, style),
      ...(results === undefined ? [] : resultLines(results.get(call.id)?.message, style)),
    ]),
  ].map((line, index) => (index === 0 ? line : INDENT + line).trimEnd());
}

const CUT = "cut from the view";

function factsOf({ seq, at, message }: MessageRecord, { times, pinned }: MessageStyle): string[] {
  const time = times.clock(at);
  return [
    ...(time === "" ? [] : [time]),
    `#${seq}`,
    ...(message.model === undefined ? [] : [shortName(message.model)]),
    ...(pinned?.has(seq) === true ? ["pinned"] : []),
  ];
}

function heading({ role, name }: Message, facts: readonly string[], isLive: boolean, colors: Colors): string {
  const speaker = name === undefined ? role : `${role} ${shortName(name)}`;
  const colored = isLive ? colors.bold(roleColor(role, colors)(speaker)) : colors.dim(speaker);
  return `${colored}  ${colors.dim(facts.join(" · "))}`;
}

/** Names, models and ids are short, unless somebody means harm. */
function shortName(name: string): string {
  return fitToWidth(escapeLine(name), LONGEST_NAME);
}

function roleColor(role: Message["role"], colors: Colors): (text: string) => string {
  switch (role) {
    case "user":
      return colors.cyan;
    case "assistant":
      return colors.green;
    case "system":
      return colors.yellow;
    case "tool":
      return colors.magenta;
  }
}

function reasoningLines({ reasoning }: Message, style: MessageStyle): string[] {
  if (reasoning === undefined || reasoning === "") return [];
  const name = "thinking: ";
  const lines = style.full
    ? whole(name + reasoning, style, INDENT)
    : [name + folded(reasoning, style, INDENT + name)];
  return lines.map((line) => style.colors.dim(line));
}

function bodyLines(message: Message, style: MessageStyle): string[] {
  if (message.role === "tool") {
    // Its call is not there: it was cut, or made elsewhere.
    return [`result of ${shortName(message.toolCallId ?? "a call")}`, ...resultLines(message, style)];
  }
  const { content } = message;
  if (content === "" || content.length === 0) return [];
  return typeof content === "string"
    ? whole(content, style, INDENT)
    : content.flatMap((part) => whole(partText(part), style, INDENT));
}

function callLines(call: ToolCall, style: MessageStyle): string[] {
  const arrow = style.colors.magenta("→");
  if (!style.full) {
    const line = folded(`${call.name}(${argumentsOnOneLine(call.arguments)})`, style, `${INDENT}→ `);
    return [`${arrow} ${line}`];
  }
  const given = JSON.stringify(call.arguments, undefined, 2);
  return [
    `${arrow} ${shortName(call.name)}`,
    ...whole(given, style, INDENT.repeat(2)).map((line) => INDENT + line),
  ];
}

function resultLines(result: Message | undefined, style: MessageStyle): string[] {
  const { colors, full } = style;
  if (result === undefined) return [INDENT + colors.dim("no result")];
  const sign = INDENT + (result.isError === true ? colors.red("✗") : colors.green("✓"));
  const text = contentText(result);
  if (text === "") return [`${sign} ${colors.dim("(empty)")}`];
  if (!full) return [`${sign} ${colors.dim(folded(text, style, `${INDENT}${INDENT}✓ `))}`];
  return [sign, ...whole(text, style, INDENT.repeat(3)).map((line) => INDENT.repeat(2) + line)];
}

/** One line, as much as fits after `before`; with the size of what is folded away. */
function folded(text: string, { width = FOLDED_WIDTH }: MessageStyle, before: string): string {
  const head = text.slice(0, width * 4);
  const line = onOneLine(head);
  const space = width - before.length;
  if (head === text && fitToWidth(line, space) === line) return line;
  const lines = text.trimEnd().split("\n").length;
  const size = ` (${lines > 1 ? `${countOf(lines, "line")}, ` : ""}${formatBytes(Buffer.byteLength(text))})`;
  return fitToWidth(`${line}…`, Math.max(10, space - size.length)) + size;
}

function whole(text: string, { width }: MessageStyle, indent: string): string[] {
  return wrapText(escapeControls(text), width === undefined ? undefined : width - indent.length);
}

function argumentsOnOneLine(given: unknown): string {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return JSON.stringify(given);
  return Object.entries(given)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ");
}

/** The text of a message; images and files are named, not printed. */
export function contentText({ content }: Message): string {
  return typeof content === "string" ? content : content.map(partText).join("\n");
}

function partText(part: ContentPart): string {
  if ("text" in part && typeof part.text === "string") return part.text;
  const facts = ["mediaType", "name"].flatMap((field) => {
    const value = (part as Readonly<Record<string, unknown>>)[field];
    return typeof value === "string" ? [value] : [];
  });
  if ("data" in part && typeof part.data === "string") {
    facts.push(
      /^[a-z]+:\/\//i.test(part.data) ? part.data : formatBytes(Math.floor((part.data.length * 3) / 4)),
    );
  }
  return `[${[part.type, ...facts].join(", ")}]`;
}
