import { afterEach, describe, expect, test } from "vitest";
import { anthropic } from "../../src/models/anthropic.ts";
import { ollama } from "../../src/models/ollama.ts";
import { openaiCompatible } from "../../src/models/openai-compatible.ts";
import { startModelServer, type ModelServer, type ScriptedBody } from "../support/model-server.ts";
import { startOllamaServer } from "../support/ollama-server.ts";

const KEY = "key-for-tests-0123456789";
/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:1";
const never = (): AbortSignal => new AbortController().signal;

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

async function answering(answer: ScriptedBody): Promise<string> {
  server = await startModelServer({ contentType: "application/json", encode: () => "" }, [answer]);
  return server.url;
}
const json = (value: unknown, status = 200): ScriptedBody => ({ status, body: JSON.stringify(value) });

describe("whether a model is there", () => {
  test("Ollama: pulled, not pulled, not running", async () => {
    server = await startOllamaServer([]);
    const { url } = server;
    expect(await ollama({ url }).check?.(never())).toEqual({ result: "usable" });
    expect(await ollama({ url, model: "foo" }).check?.(never())).toMatchObject({
      result: "unusable",
      reason: expect.stringContaining("ollama pull foo") as string,
    });
    expect(await ollama({ url: NOWHERE }).check?.(never())).toMatchObject({
      result: "unusable",
      reason: `Ollama at ${NOWHERE} cannot be reached`,
    });
    // Nothing was generated.
    expect(server.requests).toEqual([]);
  });

  test.each([
    ["listed", json({ data: [{ id: "small" }] }), "usable", ""],
    ["not listed", json({ data: [{ id: "smal" }] }), "unusable", "did you mean smal?"],
    ["the key is refused", json({}, 401), "unusable", "refused the API key"],
    ["no list", json({}, 404), "unknown", "no list"],
    ["a list that is none", json({ data: 1 }), "unknown", "no list"],
    ["a redirect", { status: 307, headers: { location: NOWHERE }, body: "" }, "unknown", "no list"],
  ] as const)("OpenAI's protocol: %s", async (_, answer, result, reason) => {
    const url = await answering(answer);
    const check = await openaiCompatible({ url, model: "small", apiKey: KEY }).check?.(never());
    expect(check?.result).toBe(result);
    if (check !== undefined && "reason" in check) expect(check.reason).toContain(reason);
    expect(JSON.stringify(check)).not.toContain(KEY);
    expect(server?.requests.map(({ path }) => path)).toEqual(["/models"]);
    expect(server?.requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  });

  test.each([
    ["there", json({ id: "claude-x" }), "usable"],
    ["not there", json({ error: { type: "not_found_error" } }, 404), "unusable"],
    ["the key is refused", json({ error: { type: "authentication_error" } }, 401), "unusable"],
    ["a server without the endpoint", json({}, 404), "unknown"],
  ] as const)("Anthropic: %s", async (_, answer, result) => {
    const url = await answering(answer);
    const check = await anthropic({ url, model: "claude-x", apiKey: KEY }).check?.(never());
    expect(check?.result).toBe(result);
    expect(server?.requests.map(({ path }) => path)).toEqual(["/models/claude-x"]);
  });

  test("can be cancelled", async () => {
    const url = await answering({ body: "{}", stop: { afterBytes: 0, then: "stall" } });
    const cancelling = new AbortController();
    const checking = openaiCompatible({ url, model: "small", apiKey: KEY }).check?.(cancelling.signal);
    cancelling.abort(new Error("cancelled by hand"));
    await expect(checking).rejects.toThrow("cancelled by hand");
  });
});
