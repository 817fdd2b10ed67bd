/**
 * A server that speaks Anthropic's messages on loopback: POST /messages (SSE) by a script (model-server.ts).
 *
 *   const server = await startAnthropicServer([{ text: ["Hel", "lo"] }]);
 *   const model = anthropic({ model: "claude-for-tests", url: server.url, apiKey: "key-for-tests" });
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

const REASONS = { stop: "end_turn", "tool-calls": "tool_use", length: "max_tokens" } as const;

export async function startAnthropicServer(script: Script): Promise<ModelServer> {
  return await startModelServer(
    { contentType: "text/event-stream", encode: (answer) => encodeAnthropicAnswer(answer) },
    script,
  );
}

/** As it is on the wire, for tests that change it. */
export function encodeAnthropicAnswer(answer: ScriptedAnswer): string {
  const usage = answer.usage === undefined ? STANDARD_USAGE : answer.usage;
  const cached = usage === null || !("cached" in usage) ? {} : { cache_read_input_tokens: usage.cached };
  const events: { readonly type: string; readonly [field: string]: unknown }[] = [
    {
      type: "message_start",
      message: {
        id: "answer-1",
        type: "message",
        role: "assistant",
        model: "claude-for-tests",
        content: [],
        stop_reason: null,
        ...(usage === null ? {} : { usage: { input_tokens: usage.input, output_tokens: 1, ...cached } }),
      },
    },
  ];
  let index = 0;
  const block = (start: object, deltas: readonly object[]): void => {
    events.push({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
    index += 1;
  };
  if (answer.reasoning !== undefined)
    block({ type: "thinking", thinking: "" }, [{ type: "thinking_delta", thinking: answer.reasoning }]);
  const texts = textPieces(answer).map((text) => ({ type: "text_delta", text }));
  if (texts.length > 0) block({ type: "text", text: "" }, texts);
  for (const [number, call] of (answer.calls ?? []).entries()) {
    const text = argumentsText(call);
    const middle = Math.ceil(text.length / 2);
    block(
      { type: "tool_use", id: call.id ?? `toolu-${number}`, name: call.name, input: {} },
      [text.slice(0, middle), text.slice(middle)].map((part) => ({
        type: "input_json_delta",
        partial_json: part,
      })),
    );
  }
  events.push({
    type: "message_delta",
    delta: { stop_reason: REASONS[finishOf(answer)], stop_sequence: null },
    ...(usage === null ? {} : { usage: { output_tokens: usage.output } }),
  });
  events.push({ type: "message_stop" });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
