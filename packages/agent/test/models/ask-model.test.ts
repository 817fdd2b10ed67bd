import { afterEach, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { askModelOf } from "../../src/models/ask-model.ts";
import { ollama } from "../../src/models/ollama.ts";
import type { ModelServer } from "../support/model-server.ts";
import { startOllamaServer } from "../support/ollama-server.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});
const QUESTION = { system: "Summarise.", user: "A long story", maxTokens: 50 };

test("text in, text out; thoughts are left out, tools are not offered, the context is large enough", async () => {
  server = await startOllamaServer([{ reasoning: "Hm.", text: ["A ", "story."] }]);
  const ask = askModelOf(ollama({ url: server.url }));
  const user = "word ".repeat(10_000);
  expect(await ask({ ...QUESTION, user }, new AbortController().signal)).toBe("A story.");
  const body = server.requests[0]?.body;
  expect(body).toMatchObject({
    options: { num_predict: 50 },
    messages: [{ role: "system" }, { role: "user" }],
  });
  expect(body?.["tools"]).toBeUndefined();
  expect((body?.["options"] as { num_ctx: number }).num_ctx).toBeGreaterThan(10_000);
});

test("the context is that of the turns, unless the question needs more", async () => {
  server = await startOllamaServer([{ text: "a" }, { text: "b" }]);
  const ask = askModelOf(ollama({ url: server.url }), { contextTokens: 20_000 });
  for (const user of ["short", "word ".repeat(40_000)])
    await ask({ ...QUESTION, user }, new AbortController().signal);
  const contexts = server.requests.map(({ body }) => (body?.["options"] as { num_ctx: number }).num_ctx);
  expect(contexts[0]).toBe(20_000);
  expect(contexts[1]).toBeGreaterThan(40_000);
});

test("half an answer is none", async () => {
  server = await startOllamaServer([{ text: ["A ", "story."], stop: { afterBytes: 150, then: "end" } }]);
  const asked = askModelOf(ollama({ url: server.url }))(QUESTION, new AbortController().signal);
  await expect(asked).rejects.toSatisfy((error) => isAgentError(error, "MODEL_BROKEN"));
});

test("rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  server = await startOllamaServer(() => {
    controller.abort(reason);
    return { text: "A", stop: { afterBytes: 0, then: "stall" } };
  });
  await expect(askModelOf(ollama({ url: server.url }))(QUESTION, controller.signal)).rejects.toBe(reason);
  expect(server.requests).toHaveLength(1);
});
