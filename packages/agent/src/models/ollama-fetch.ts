/**
 * A fetch for the Ollama provider, which overlooks lines it does not understand and takes the end of the bytes for the end of
 * the answer. Each line is read here first: an error that Ollama reports in the middle is thrown, an answer without its last
 * line was cut off, and every line that goes on is one the provider understands. Requests are corrected where they would fail.
 */

import { AgentError } from "../errors.ts";
import { parseJson, tryParseJson } from "../parse-json.ts";
import { describeBody, messageIn } from "./describe-body.ts";
import { readLines } from "./read-lines.ts";
import { rewrittenResponse } from "./rewritten-response.ts";

type Fields = Readonly<Record<string, unknown>>;

export const ollamaFetch: typeof globalThis.fetch = async (input, init) => {
  const body = typeof init?.body === "string" ? { body: correctRequest(init.body) } : {};
  const response = await globalThis.fetch(input, { ...init, ...body });
  if (!response.ok || response.body === null) return response;
  return rewrittenResponse(response, checkedLines(response.body));
};

/** Ollama wants text to be a string, also where a message has only an image, and the name of the tool with each result. */
function correctRequest(text: string): string {
  const request = parseJson(text) as { readonly messages?: readonly Fields[] };
  const names = new Map<unknown, unknown>();
  const messages = (request.messages ?? []).map((message) => {
    for (const call of (message["tool_calls"] ?? []) as readonly { id: unknown; function: Fields }[])
      names.set(call.id, call.function["name"]);
    const content = Array.isArray(message["content"]) ? "" : message["content"];
    const toolName = message["role"] === "tool" ? { tool_name: names.get(message["tool_call_id"]) } : {};
    return { ...message, content, ...toolName };
  });
  return JSON.stringify({ ...request, messages });
}

async function* checkedLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  for await (const line of readLines(body)) {
    if (line.text.trim() === "") continue;
    const parsed = tryParseJson(line.text);
    if (!isFields(parsed)) {
      if (!line.isWhole && line.text.trimStart().startsWith("{")) break;
      throw new AgentError(
        "MODEL_BROKEN",
        `answered with ${describeBody(line.text)} instead of lines of JSON`,
      );
    }
    if (parsed["error"] !== undefined)
      throw new Error(messageIn(parsed["error"]) ?? "Ollama reports an error", { cause: parsed });
    const checked = checkedLine(parsed);
    yield `${JSON.stringify(checked)}\n`;
    if (checked["done"] === true) return;
  }
  throw new AgentError("MODEL_BROKEN", "the answer was cut off before its end", { isCutOff: true });
}

function checkedLine(line: Fields): Fields {
  const message = isFields(line["message"]) ? line["message"] : {};
  const { content = "", thinking } = message;
  const calls = message["tool_calls"] ?? [];
  if (typeof content !== "string" || !Array.isArray(calls) || typeof line["done"] !== "boolean")
    throw new AgentError(
      "MODEL_BROKEN",
      `sent a line that is not as Ollama writes it: ${describeBody(JSON.stringify(line))}`,
    );
  return {
    model: String(line["model"]),
    created_at: String(line["created_at"]),
    done: line["done"],
    message: {
      role: "assistant",
      content,
      ...(typeof thinking === "string" ? { thinking } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(checkedCall) }),
    },
    // Old versions do not give a reason.
    ...(line["done"]
      ? { done_reason: typeof line["done_reason"] === "string" ? line["done_reason"] : "stop" }
      : {}),
    ...counts(line),
  };
}

function checkedCall(call: unknown): Fields {
  const wanted = isFields(call) && isFields(call["function"]) ? call["function"] : {};
  const written = wanted["arguments"] ?? {};
  const values = typeof written === "string" ? tryParseJson(written) : written;
  if (typeof wanted["name"] !== "string" || !isFields(values))
    throw new AgentError(
      "MODEL_BROKEN",
      `sent a tool call that cannot be read: ${describeBody(JSON.stringify(call))}`,
    );
  const id = isFields(call) && typeof call["id"] === "string" && call["id"] !== "" ? { id: call["id"] } : {};
  return { ...id, function: { name: wanted["name"], arguments: values } };
}

function counts(line: Fields): Fields {
  const known = ["prompt_eval_count", "eval_count"].filter((name) => typeof line[name] === "number");
  return Object.fromEntries(known.map((name) => [name, line[name]]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
