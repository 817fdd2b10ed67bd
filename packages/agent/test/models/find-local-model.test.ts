import { afterEach, expect, test } from "vitest";
import { findLocalModel } from "../../src/models/find-local-model.ts";
import type { ModelServer, ScriptedBody } from "../support/model-server.ts";
import { startOllamaServer } from "../support/ollama-server.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const NONE = { isRunning: false, models: [], best: undefined };

test.each([
  ["the default if it was pulled", { other: ["tools"], "gemma4:e4b": [] }, "gemma4:e4b"],
  ["else the first that can call tools", { small: ["completion"], able: ["tools"], too: ["tools"] }, "able"],
  ["else none", { small: ["completion"] }, undefined],
  ["none were pulled", {}, undefined],
])("%s", async (_, models, best) => {
  server = await startOllamaServer([], { models });
  expect(await findLocalModel({ url: server.url })).toEqual({
    isRunning: true,
    models: Object.keys(models),
    best,
  });
});

test("nobody there", async () => {
  server = await startOllamaServer([]);
  const { url } = server;
  await server.close();
  server = undefined;
  expect(await findLocalModel({ url })).toEqual(NONE);
});

test.each([
  ["is silent", { body: "", stop: { afterBytes: 0, then: "stall" } }],
  ["is no Ollama", { body: "<html>hello</html>" }],
  ["fails", { status: 500, body: "{}" }],
] as const)("what answers there %s", async (_, tags: ScriptedBody) => {
  server = await startOllamaServer([], { tags });
  expect(await findLocalModel({ url: server.url, within: 100 })).toEqual(NONE);
});

test("rejects with the signal's reason", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  let asked = 0;
  const tags = (): ScriptedBody => {
    asked += 1;
    controller.abort(reason);
    return { body: "", stop: { afterBytes: 0, then: "stall" } };
  };
  server = await startOllamaServer([], { tags });
  const found = findLocalModel({ url: server.url, within: 60_000, signal: controller.signal });
  await expect(found).rejects.toBe(reason);
  expect(asked).toBe(1);
});
