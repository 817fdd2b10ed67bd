/**
 * ZeroClaw keeps tool calls and results as JSON text inside `content`. They become calls and results again only where
 * the shape fits wholly, and only for the roles that write it: a user may type the same text. The text is kept.
 */

import { isJsonObject } from "../format/json.ts";
import { parseForeignJson } from "./parse-foreign-json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The message with PicoClaw's names for calls and results, or as it was. */
export function unpackContent(message: Fields): Fields {
  const { role, content } = message;
  if (typeof content !== "string" || !content.startsWith("{") || Object.hasOwn(message, "originalContent"))
    return message;
  const inner = parseForeignJson(content);
  const unpacked = !isJsonObject(inner)
    ? undefined
    : role === "assistant"
      ? unpackCalls(inner)
      : role === "tool"
        ? unpackResult(inner)
        : undefined;
  return unpacked === undefined ? message : { ...message, ...unpacked, originalContent: content };
}

function unpackCalls(inner: Fields): Fields | undefined {
  const { content = null, tool_calls: calls, reasoning_content: reasoning = null, ...others } = inner;
  if (Object.keys(others).length > 0 || !isTextOrNull(content) || !isTextOrNull(reasoning)) return undefined;
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const unpacked = calls.map(unpackCall);
  if (unpacked.includes(undefined)) return undefined;
  return {
    content: content ?? "",
    tool_calls: unpacked,
    ...(reasoning === null ? {} : { reasoning_content: reasoning }),
  };
}

function unpackCall(call: unknown): Fields | undefined {
  if (!isJsonObject(call)) return undefined;
  const { id, name, arguments: given, ...others } = call;
  const fits = [id, name, given].every((value) => typeof value === "string");
  if (!fits || Object.keys(others).length > 0) return undefined;
  return { id, type: "function", function: { name, arguments: given } };
}

function unpackResult(inner: Fields): Fields | undefined {
  const { tool_call_id: id, content, ...others } = inner;
  if (typeof id !== "string" || typeof content !== "string" || Object.keys(others).length > 0)
    return undefined;
  return { content, tool_call_id: id };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
