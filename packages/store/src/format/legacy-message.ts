/**
 * Messages between our names and those of older programs. What has a place on the other side is moved there; every
 * other field stays as it is, under its own name.
 */

import { isJsonObject, tryParseJson } from "./json.ts";
import { fromLegacyTime, UNKNOWN_TIME } from "./legacy-time.ts";
import { numbersSurvive } from "./numbers-survive.ts";

type Fields = Readonly<Record<string, unknown>>;

const RENAMED: readonly (readonly [legacy: string, ours: string])[] = [
  ["tool_call_id", "toolCallId"],
  ["reasoning_content", "reasoning"],
  ["model_name", "model"],
];

export interface FromLegacy {
  readonly message: Fields;
  /** A message of ours has no time; its record does. */
  readonly at: string | undefined;
}

export function fromLegacyMessage(legacy: Fields): FromLegacy {
  const at = fromLegacyTime(legacy["created_at"]);
  const fields = Object.entries(legacy)
    .filter(([name]) => name !== "created_at" || at === undefined)
    .map(([name, value]) => fromLegacyField(name, value, legacy));
  return { message: Object.fromEntries(fields), at };
}

function fromLegacyField(name: string, value: unknown, legacy: Fields): readonly [string, unknown] {
  if (name === "tool_calls") {
    const calls = Array.isArray(value) ? value.map(fromLegacyCall) : [undefined];
    const fits = !Object.hasOwn(legacy, "toolCalls") && !calls.includes(undefined);
    return fits ? ["toolCalls", calls] : [name, value];
  }
  const ours = RENAMED.find(([theirs]) => theirs === name)?.[1];
  const fits = ours !== undefined && typeof value === "string" && !Object.hasOwn(legacy, ours);
  return fits ? [ours, value] : [name, value];
}

function fromLegacyCall(value: unknown): Fields | undefined {
  if (!isJsonObject(value) || "name" in value || "arguments" in value) return undefined;
  const { id, type = "function", function: called, ...others } = value;
  if (typeof id !== "string" || type !== "function" || !isJsonObject(called)) return undefined;
  const { name, arguments: given, ...rest } = called;
  if (typeof name !== "string" || typeof given !== "string") return undefined;
  const unplaced = Object.keys(rest).length === 0 ? {} : { function: rest };
  return { id, name, arguments: parseArguments(given), ...others, ...unplaced };
}

/** The value, if it is one and parsing loses no digit; else the text as it was sent. */
function parseArguments(text: string): unknown {
  const value = numbersSurvive(text) ? tryParseJson(text) : undefined;
  return typeof value === "object" && value !== null ? value : text;
}

/** Older programs know text content only: other parts have no place there. The log keeps the message whole. */
export function toLegacyMessage(message: Fields, at: string): Fields {
  const fields = Object.entries(message).map(([name, value]): readonly [string, unknown] => {
    if (name === "content") return [name, textOf(value)];
    if (name === "toolCalls" && Array.isArray(value)) return ["tool_calls", value.map(toLegacyCall)];
    return [RENAMED.find(([, ours]) => ours === name)?.[0] ?? name, value];
  });
  const time = at === UNKNOWN_TIME ? {} : { created_at: at };
  return { ...time, ...Object.fromEntries(fields) };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) => (isJsonObject(part) && part["type"] === "text" ? part["text"] : undefined))
    .filter((text) => typeof text === "string")
    .join("\n");
}

function toLegacyCall(call: unknown): unknown {
  if (!isJsonObject(call)) return call;
  const { id, name, arguments: given, function: rest, ...others } = call;
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const called = { name, arguments: text, ...(isJsonObject(rest) ? rest : {}) };
  return { id, type: "function", function: called, ...others };
}
