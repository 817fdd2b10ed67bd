/**
 * A server that speaks OpenAI's chat completions on loopback: POST /chat/completions (SSE) by a script (model-server.ts).
 *
 *   const server = await startOpenaiServer([{ text: ["Hel", "lo"] }]);
 *   const model = openaiCompatible({ model: "small", url: server.url, apiKey: "key-for-tests" });
 */

import {
  STANDARD_USAGE,
  argumentsText,
  finishOf,
  startModelServer,
  textPieces,
  type ModelServer,
  type Script,
  type ScriptedAnswer,
} from "./model-server.ts";

const REASONS = { stop: "stop", "tool-calls": "tool_calls", length: "length" } as const;

export async function startOpenaiServer(script: Script): Promise<ModelServer> {
  return await startModelServer(
    { contentType: "text/event-stream", encode: (answer) => encodeOpenaiAnswer(answer) },
    script,
  );
}

/** As it is on the wire, for tests that change it. */
export function encodeOpenaiAnswer(answer: ScriptedAnswer): string {
  const chunks: unknown[] = [];
  const add = (delta: object, reason: string | null = null): void => {
    chunks.push(chunk({ choices: [{ index: 0, delta, finish_reason: reason }] }));
  };
  add({ role: "assistant" });
  if (answer.reasoning !== undefined) add({ reasoning_content: answer.reasoning });
  for (const content of textPieces(answer)) add({ content });
  for (const [index, call] of (answer.calls ?? []).entries()) {
    const text = argumentsText(call);
    const middle = Math.ceil(text.length / 2);
    const begun = { name: call.name, arguments: text.slice(0, middle) };
    add({ tool_calls: [{ index, id: call.id ?? `call-${index}`, type: "function", function: begun }] });
    add({ tool_calls: [{ index, function: { arguments: text.slice(middle) } }] });
  }
  add({}, REASONS[finishOf(answer)]);
  const usage = answer.usage === undefined ? STANDARD_USAGE : answer.usage;
  if (usage !== null) chunks.push(chunk({ choices: [], usage: wireUsage(usage) }));
  return [...chunks.map((value) => JSON.stringify(value)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
}

function chunk(fields: object): object {
  return { id: "answer-1", object: "chat.completion.chunk", created: 1, model: "small", ...fields };
}

function wireUsage(usage: NonNullable<ScriptedAnswer["usage"]>): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    ...(usage.cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached } }),
  };
}
