/**
 * Ollama on loopback: POST /api/chat (NDJSON) by a script (model-server.ts), POST /api/show with the capabilities given and
 * GET /api/tags with the models given. /api/show of a model that is not there is a 404, as with Ollama; so is /api/chat.
 *
 *   const server = await startOllamaServer([{ text: "Hello" }], { models: { "gemma4:e4b": ["completion", "tools"] } });
 *   const model = ollama({ model: "gemma4:e4b", url: server.url });
 */

import {
  STANDARD_USAGE,
  finishOf,
  startModelServer,
  textPieces,
  type ModelServer,
  type RecordedRequest,
  type Script,
  type ScriptedAnswer,
  type ScriptedBody,
} from "./model-server.ts";

export interface OllamaServerOptions {
  /** Names and capabilities. @default "gemma4:e4b", which can do tools */
  readonly models?: Readonly<Record<string, readonly string[]>>;
  /** What /api/show answers instead, for tests of the probe. */
  readonly show?: ScriptedBody;
  /** What /api/tags answers instead; a function is called when it is asked. */
  readonly tags?: ScriptedBody | (() => ScriptedBody);
}

const STANDARD_MODELS = { "gemma4:e4b": ["completion", "tools"] } as const;

export async function startOllamaServer(
  script: Script,
  options: OllamaServerOptions = {},
): Promise<ModelServer> {
  const models: Readonly<Record<string, readonly string[]>> = options.models ?? STANDARD_MODELS;
  const side = (request: RecordedRequest): ScriptedBody | undefined => {
    const name = request.body?.["model"] as string;
    if (request.path === "/api/tags") {
      const { tags = json({ models: Object.keys(models).map((model) => ({ name: model, model })) }) } =
        options;
      return typeof tags === "function" ? tags() : tags;
    }
    if (request.path === "/api/show" && options.show !== undefined) return options.show;
    if (models[name] === undefined)
      return { status: 404, body: JSON.stringify({ error: `model '${name}' not found` }) };
    return request.path === "/api/show" ? json({ capabilities: models[name] }) : undefined;
  };
  return await startModelServer(
    { contentType: "application/x-ndjson", encode: encodeOllamaAnswer, side },
    script,
  );
}

/** As it is on the wire, for tests that change it. */
export function encodeOllamaAnswer(answer: ScriptedAnswer, request?: RecordedRequest): string {
  const common = { model: request?.body?.["model"] ?? "gemma4:e4b", created_at: "2026-01-01T00:00:00Z" };
  const lines: unknown[] = [];
  const say = (message: object): unknown =>
    lines.push({ ...common, message: { role: "assistant", content: "", ...message }, done: false });
  if (answer.reasoning !== undefined) say({ thinking: answer.reasoning });
  for (const content of textPieces(answer)) say({ content });
  for (const call of answer.calls ?? []) {
    const id = call.id === undefined ? {} : { id: call.id };
    say({ tool_calls: [{ ...id, function: { name: call.name, arguments: call.arguments } }] });
  }
  const usage = answer.usage === undefined ? STANDARD_USAGE : answer.usage;
  lines.push({
    ...common,
    message: { role: "assistant", content: "" },
    done: true,
    // Ollama says "stop" also where the answer ends in tool calls.
    done_reason: finishOf(answer) === "length" ? "length" : "stop",
    ...(usage === null ? {} : { prompt_eval_count: usage.input, eval_count: usage.output }),
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function json(value: unknown): ScriptedBody {
  return { body: JSON.stringify(value) };
}
