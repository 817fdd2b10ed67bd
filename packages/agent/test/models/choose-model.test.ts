import { expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { chooseModel, type ModelSettings } from "../../src/models/choose-model.ts";
import type { Model } from "../../src/models/model.ts";

const OFFLINE: Model = {
  name: "offline",
  stream: () => {
    throw new Error("not asked");
  },
};
const SETTINGS: ModelSettings = {
  openai: { apiKey: "key-of-openai" },
  anthropic: { apiKey: "key-of-anthropic" },
  offline: () => OFFLINE,
};
const thrownBy = (spec: string, settings: ModelSettings = SETTINGS): unknown => {
  try {
    return chooseModel(spec, settings);
  } catch (error) {
    return error;
  }
};

test.each([
  ["ollama", "ollama:gemma4:e4b"],
  ["ollama:qwen3:8b", "ollama:qwen3:8b"],
  ["openai:gpt-5", "openai:gpt-5"],
  ["anthropic:claude-x", "anthropic:claude-x"],
  [" ollama : llama3 ", "ollama:llama3"],
])("%s", (spec, name) => {
  expect(chooseModel(spec, SETTINGS).name).toBe(name);
});

test("offline is what was handed in", () => {
  expect(chooseModel("offline", SETTINGS)).toBe(OFFLINE);
});

test.each([
  ["olama:gemma4:e4b", '"ollama:gemma4:e4b"'],
  ["Ollama", '"ollama"'],
  ["opnai:gpt-5", '"openai:gpt-5"'],
  ["antropic:claude-x", '"anthropic:claude-x"'],
  ["oflline", '"offline"'],
  ["gemma4:e4b", '"ollama:gemma4:e4b"'],
  ["claude-x", '"anthropic:claude-x"'],
  ["gpt-5", '"openai:gpt-5"'],
  ["openai", '"openai:NAME"'],
  ["anthropic:", '"anthropic:NAME"'],
  ["offline:x", '"offline"'],
  ["", "ollama:gemma4:e4b"],
])("%s is unknown, and says what was meant", (spec, meant) => {
  const error = thrownBy(spec);
  expect(isAgentError(error, "MODEL_UNKNOWN"), String(error)).toBe(true);
  expect(String(error)).toContain(meant);
});

test("a key that is missing is named; a server of one's own needs none", () => {
  for (const [spec, variable] of [
    ["openai:gpt-5", "OPENAI_API_KEY"],
    ["anthropic:claude-x", "ANTHROPIC_API_KEY"],
  ] as const) {
    const error = thrownBy(spec, { offline: () => OFFLINE });
    expect(isAgentError(error, "MODEL_REFUSED")).toBe(true);
    expect(String(error)).toContain(variable);
  }
  const own = { offline: () => OFFLINE, openai: { url: "http://127.0.0.1:8000/v1" } };
  expect(chooseModel("openai:local", own).name).toBe("openai:local");
});
