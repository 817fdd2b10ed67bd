/** The three wire formats, for tests that must hold for each: a server, the model that talks to it, and an answer's bytes. */

import { anthropic } from "../../src/models/anthropic.ts";
import type { Model } from "../../src/models/model.ts";
import { ollama } from "../../src/models/ollama.ts";
import { openaiCompatible } from "../../src/models/openai-compatible.ts";
import { encodeAnthropicAnswer, startAnthropicServer } from "./anthropic-server.ts";
import type { ModelServer, Script, ScriptedAnswer } from "./model-server.ts";
import { encodeOllamaAnswer, startOllamaServer } from "./ollama-server.ts";
import { encodeOpenaiAnswer, startOpenaiServer } from "./openai-server.ts";

export const TEST_KEY = "sk-test-0123456789abcdef";

export interface Wire {
  readonly name: string;
  start(script: Script): Promise<ModelServer>;
  model(url: string): Model;
  encode(answer: ScriptedAnswer): string;
  readonly contentType: string;
}

export const WIRES: readonly Wire[] = [
  {
    name: "ollama",
    start: (script) => startOllamaServer(script),
    model: (url) => ollama({ url }),
    encode: (answer) => encodeOllamaAnswer(answer),
    contentType: "application/x-ndjson",
  },
  {
    name: "openai",
    start: startOpenaiServer,
    model: (url) => openaiCompatible({ model: "small", url, apiKey: TEST_KEY }),
    encode: encodeOpenaiAnswer,
    contentType: "text/event-stream",
  },
  {
    name: "anthropic",
    start: startAnthropicServer,
    model: (url) => anthropic({ model: "claude-for-tests", url, apiKey: TEST_KEY }),
    encode: encodeAnthropicAnswer,
    contentType: "text/event-stream",
  },
];
