/** What is particular to the two formats of server-sent events: unknown and repeated events, errors in the middle. */

import { afterEach, describe, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { READ_FILE, collectAnswer, type CollectedAnswer } from "../support/collect-answer.ts";
import type { ModelServer } from "../support/model-server.ts";
import { WIRES } from "../support/wires.ts";

const CALL = { name: "read_file", arguments: { path: "a.txt" } };
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

describe.each(WIRES.filter((wire) => wire.name !== "ollama"))("$name", (wire) => {
  const sent = async (body: string): Promise<CollectedAnswer> => {
    await server?.close();
    server = await wire.start([{ body, headers: { "content-type": wire.contentType } }]);
    return await collectAnswer(wire.model(server.url), { tools: [READ_FILE] });
  };
  const whole = wire.encode({ text: "Hello", calls: [CALL] });
  const events = whole.split("\n\n").slice(0, -1);
  const joined = (list: readonly string[]): string => list.map((event) => `${event}\n\n`).join("");

  test.each([
    ["comment lines", joined(events.flatMap((event) => [": keep-alive", event]))],
    [
      "pings and unknown events",
      joined(events.flatMap((event) => ['event: later\ndata: {"type":"later","a":1}', event])),
    ],
    ["unknown fields of SSE", joined(events.map((event) => `id: 1\nretry: 5\nother: x\n${event}`))],
    ["no space behind the colon", whole.replaceAll("data: ", "data:")],
    ["a byte order mark", `\uFEFF${whole}`],
    ["the last event twice", joined([...events, events.at(-1) ?? ""])],
    ["the first event twice", joined([events[0] ?? "", ...events])],
    ["the whole answer twice", whole + whole],
  ])("P7: %s give the same answer", async (_, body) => {
    const answer = await sent(body);
    expect(answer.error).toBeUndefined();
    expect(answer.text).toBe("Hello");
    expect(answer.calls.map((call) => call.arguments)).toEqual(['{"path":"a.txt"}']);
  });

  test("P7: without [DONE]", async () => {
    const answer = await sent(whole.replace("data: [DONE]\n\n", ""));
    expect(answer.text).toBe("Hello");
    expect(answer.finish?.reason).toBe("tool-calls");
  });

  test.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "MODEL_BUSY"],
    [
      { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      "MODEL_OVERFLOW",
    ],
    [{ type: "odd", message: "odd" }, "MODEL_BROKEN"],
  ] as const)("an error in the middle: %j", async (error, code) => {
    const event = `event: error\ndata: ${JSON.stringify({ type: "error", error })}`;
    const answer = await sent(joined([...events.slice(0, 3), event]));
    expect(isAgentError(answer.error, code), String(answer.error)).toBe(true);
    expect(answer.calls).toEqual([]);
  });

  test("an error with status 200 instead of an event stream", async () => {
    const { error } = await sent('{"error":{"message":"no credit left"}}');
    expect(isAgentError(error, "MODEL_BROKEN")).toBe(true);
    expect(String(error)).toContain("no credit left");
  });

  test("the key is sent, and nothing is asked twice", async () => {
    await sent(whole);
    expect(JSON.stringify(server?.requests[0]?.headers)).toContain("sk-test-0123456789abcdef");
    expect(server?.requests).toHaveLength(1);
    expect(server?.requests[0]?.body).toMatchObject({ max_tokens: 100, stream: true });
  });
});
