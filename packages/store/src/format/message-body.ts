/** Checks a message's shape and turns it into the body of a record; once, at the moment of the call. */

import { LonghandError } from "../errors.ts";
import type { Body } from "./entry.ts";
import { isJsonObject } from "./json.ts";
import { ROLES } from "./message.ts";
import { isPlain, serialize } from "./serialize.ts";

export function messageBody(message: unknown): Body {
  if (!isJsonObject(message) || !isPlain(message)) throw wrong("it", "a plain object with role and content");
  const fields = readOnce(message);
  checkShape(fields);
  return { op: "message", json: serialize(fields, "the message") };
}

/** A copy of what checkShape looks at: a getter may answer differently the second time, or throw the first. */
function readOnce(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    const fields = { ...message };
    for (const name of ["content", "toolCalls"]) {
      if (Array.isArray(fields[name])) fields[name] = Array.from<unknown, unknown>(fields[name], copied);
    }
    return fields;
  } catch (cause) {
    throw wrong("it", "readable: a getter threw", cause);
  }
}

function copied(value: unknown): unknown {
  return isJsonObject(value) && isPlain(value) ? { ...value } : value;
}

type Check = readonly [test: (value: unknown) => boolean, expected: string];

const string: Check = [(value) => typeof value === "string", "a string"];
const REQUIRED: Readonly<Record<string, Check>> = {
  role: [(value) => ROLES.some((role) => role === value), `one of ${ROLES.join(", ")}`],
  content: [
    (value) => typeof value === "string" || (Array.isArray(value) && value.every(isPart)),
    'a string (an empty one where there is no text), or an array of parts that each have a string "type"',
  ],
};
const OPTIONAL: Readonly<Record<string, Check>> = {
  name: string,
  toolCalls: [
    (value) => Array.isArray(value) && value.every(isToolCall),
    "an array of calls that each have a string id, a string name and arguments",
  ],
  toolCallId: string,
  isError: [(value) => typeof value === "boolean", "a boolean"],
  reasoning: string,
  model: string,
  usage: [(value) => isJsonObject(value), "an object"],
  stopReason: string,
};

function checkShape(fields: Readonly<Record<string, unknown>>): void {
  for (const [field, check] of Object.entries(REQUIRED)) expect(fields, field, check);
  for (const [field, check] of Object.entries(OPTIONAL)) {
    if (fields[field] !== undefined) expect(fields, field, check);
  }
}

function expect(value: Readonly<Record<string, unknown>>, field: string, [test, expected]: Check): void {
  if (!test(value[field])) throw wrong(field, expected);
}

function wrong(field: string, expected: string, cause?: unknown): LonghandError {
  const problem = `the message cannot be kept: ${field} must be ${expected}`;
  return new LonghandError("MESSAGE_INVALID", problem, { field }, cause);
}

function isPart(value: unknown): boolean {
  return isJsonObject(value) && typeof value["type"] === "string";
}

function isToolCall(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["name"] === "string" &&
    value["arguments"] !== undefined
  );
}
