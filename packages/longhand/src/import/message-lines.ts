/**
 * JSON lines on standard input of `append`: one message a line. A line is a message (`{"role":…,"content":…}`) or a record of
 * `show --json` and `tail --json` (`{"seq":…,"message":…}`). Anything else on standard input is one plain text. Pure.
 */

import type { Message } from "@longhand/store";
import { CommandError } from "../command-error.ts";

export interface MessageLine {
  /** From 1, as an editor counts. */
  readonly line: number;
  /** Its shape is the store's to check. */
  readonly message: Message;
}

interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** `undefined`: the input is plain text. `role` is that of lines that name none. INPUT_INVALID names a line that is wrong. */
export function parseMessageLines(input: string, role: Message["role"]): readonly MessageLine[] | undefined {
  // Most input is plain text, which may be long: it is not split.
  if (!/^\s*\{/.test(input)) return undefined;
  const lines = input
    .split("\n")
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== "");
  return areMessages(lines) ? lines.map((each) => toMessageLine(each, role)) : undefined;
}

/**
 * The first line is a message; or all lines look like JSON objects and one of them is a message: then a broken line is a mistake. Lines
 * that are all JSON objects are never text: a field with the wrong name would be stored unnoticed.
 */
function areMessages(lines: readonly TextLine[]): boolean {
  const [first] = lines;
  if (first !== undefined && isMessageText(first)) return true;
  if (!lines.every(({ text }) => text.startsWith("{"))) return false;
  return lines.some(isMessageText) || lines.every(isObjectText);
}

function isMessageText({ text }: TextLine): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return (
      isObject(value) && (isMessage(value) || (isObject(value["message"]) && isMessage(value["message"])))
    );
  } catch {
    return false;
  }
}

function isObjectText({ text }: TextLine): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function isMessage(value: Readonly<Record<string, unknown>>): boolean {
  const { content } = value;
  return typeof value["role"] === "string" || typeof content === "string" || Array.isArray(content);
}

function toMessageLine({ line, text }: TextLine, role: Message["role"]): MessageLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const withoutText = reason.replace(/, "[\s\S]*" is not valid JSON$/, "");
    throw wrongLine(line, `is not valid JSON: ${withoutText}`, cause);
  }
  if (!isObject(value)) throw wrongLine(line, "is not a JSON object");
  if (typeof value["op"] === "string" || typeof value["type"] === "string" || value["live"] === false) {
    throw wrongLine(
      line,
      "is a record of an export, not a message; to bring back an export: longhand import FILE",
    );
  }
  const message = isObject(value["message"]) ? value["message"] : value;
  if (!isMessage(message))
    throw wrongLine(
      line,
      'is a JSON object but not a message: it has neither "role" nor "content" (as an argument it is stored as text: longhand append KEY TEXT)',
    );
  return { line, message: { role, ...message } as Message };
}

export function wrongLine(line: number, what: string, cause?: unknown): CommandError {
  return new CommandError("INPUT_INVALID", `line ${line} of standard input ${what}; nothing was written`, {
    detail: { line },
    ...(cause === undefined ? {} : { cause }),
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
