import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryBackend, type Message, openStore } from "@longhand/store";
import { openMemory } from "@longhand/store/memory";
import { describe, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import type { ModelEvent, ModelRequest } from "../../src/models/model.ts";
import { offlineModel } from "../../src/offline/offline-model.ts";
import { NOTICE } from "../../src/offline/offline-words.ts";
import { OFFLINE_TOOLS } from "../../src/offline/understand-request.ts";

const never = new AbortController().signal;
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

function request(messages: readonly Message[], tools: readonly string[] = OFFLINE_TOOLS): ModelRequest {
  return { messages, tools: tools.map((name) => ({ name })), contextTokens: 32_000, maxTokens: 4096 };
}

async function eventsOf(given: ModelRequest, signal = never): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of offlineModel().stream(given, signal)) events.push(event);
  return events;
}

async function textOf(given: ModelRequest): Promise<string> {
  return (await eventsOf(given)).map((event) => (event.type === "text" ? event.text : "")).join("");
}

/** As the turn would write it down. */
async function answerTo(given: ModelRequest): Promise<Message> {
  const toolCalls = (await eventsOf(given)).flatMap((event) =>
    event.type === "tool-call"
      ? [{ id: event.id, name: event.name, arguments: JSON.parse(event.arguments) as unknown }]
      : [],
  );
  return {
    role: "assistant",
    content: await textOf(given),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

describe("a conversation", () => {
  test("a request becomes a real call, and its result an answer", async () => {
    const first = await answerTo(request([user("read notes.txt")]));
    expect(first.toolCalls).toEqual([
      {
        id: expect.stringMatching(/^offline-[0-9a-f]{16}-1$/) as string,
        name: "read_file",
        arguments: { path: "notes.txt" },
      },
    ]);
    const id = first.toolCalls?.[0]?.id ?? "";
    const result: Message = { role: "tool", toolCallId: id, content: "line 1\n```\nline 2" };
    const second = await answerTo(request([user("read notes.txt"), first, result]));
    expect(second).toEqual(assistant("`notes.txt`:\n\n````text\nline 1\n```\nline 2\n````"));
  });

  test("its first line says that it is no model and how to get one; once", async () => {
    const first = await answerTo(request([user("help")]));
    expect(first.content).toMatch(/^I am not a language model.*ollama pull gemma4:e4b.*_API_KEY/);
    const second = await answerTo(request([user("help"), first, user("list the files")]));
    expect(second.content).toBe("");
    expect(second.toolCalls).toMatchObject([{ name: "list_dir", arguments: { path: "." } }]);
    // A conversation that a model began is told too.
    expect(await textOf(request([user("hi"), assistant("Hello!"), user("list the files")]))).toBe(NOTICE);
  });

  test("a result that is an error is said to be one, and a long one is cut where that is said", async () => {
    const asked: Message = {
      ...assistant(NOTICE),
      toolCalls: [{ id: "1", name: "exec", arguments: { command: "x" } }],
    };
    const failed: Message = { role: "tool", toolCallId: "1", content: "not allowed", isError: true };
    expect(await textOf(request([user("run x"), asked, failed]))).toBe(
      "That did not work (exec):\n\n```text\nnot allowed\n```",
    );
    const long: Message = { role: "tool", toolCallId: "1", content: "ab".repeat(10_000) };
    const text = await textOf(request([user("run x"), asked, long]));
    expect(text).toContain("`x` answered:");
    expect(text).toContain("[… 12000 characters more …]");
    expect(text).not.toContain("ab".repeat(4001));
    const empty: Message = { role: "tool", toolCallId: "1", content: "" };
    expect(await textOf(request([user("run x"), asked, empty]))).toBe("Done (exec); it answered nothing.");
  });

  test("what was said meanwhile is answered as well as the result", async () => {
    const asked: Message = {
      ...assistant(NOTICE),
      toolCalls: [{ id: "1", name: "list_dir", arguments: { path: "." } }],
    };
    const listed: Message = { role: "tool", toolCallId: "1", content: "a.txt" };
    const messages = [user("list the files"), asked, listed, user("read a.txt"), user("run date")];
    const answer = await answerTo(request(messages));
    expect(answer.content).toContain("a.txt");
    expect(answer.toolCalls?.map(({ name }) => name)).toEqual(["read_file", "exec"]);
    expect(new Set(answer.toolCalls?.map(({ id }) => id)).size).toBe(2);
  });

  test("only tools that are there are called or offered", async () => {
    const text = await textOf(request([user("run date")], ["read_file"]));
    expect(text).toContain("takes the tool exec, which this agent does not have");
    expect(text).toContain("read notes.txt");
    expect(text).not.toContain("- run date");
    const unclear = await eventsOf(request([user("sing a song")]));
    expect(unclear.map(({ type }) => type)).not.toContain("tool-call");
    expect(await textOf(request([user("sing a song")]))).toContain("I did not understand that.");
  });

  test("a picture without words is a call for help, words beside one are read", async () => {
    const picture = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    expect(await textOf(request([{ role: "user", content: [picture] }]))).toContain("You can say:");
    const both: Message = { role: "user", content: [{ type: "text", text: "list the files" }, picture] };
    expect((await answerTo(request([both]))).toolCalls).toHaveLength(1);
  });
});

test("what is known about the user comes from the memory's part of the prompt, as the memory writes it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "longhand-offline-"));
  const store = await openStore(memoryBackend());
  const memory = await openMemory({ directory, sessions: store });
  try {
    const scope = { user: "ann" };
    await memory.remember({ text: "Ann likes tea and ```fences.", scope });
    const { text } = await memory.promptSection({ scope });
    const system: Message = { role: "system", content: `You are an agent.\n\n${text}\n\nMore.` };
    const answer = await textOf(request([system, user("what do you know about me?")]));
    expect(answer).toMatch(/Facts:\n- \d{4}-\d\d-\d\d Ann likes tea and ```fences\.$/);
    const without = await textOf(request([{ role: "system", content: "You are." }, user("who am I?")]));
    expect(without).toContain("Nothing is remembered about you yet");
  } finally {
    await memory.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test("the words of an answer come one by one, and the same request always has the same answer", async () => {
  const given = request([user("sing a song")]);
  const events = await eventsOf(given);
  expect(events.filter(({ type }) => type === "text").length).toBeGreaterThan(30);
  expect(events.at(-1)).toEqual({
    type: "finish",
    reason: "stop",
    usage: { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined },
  });
  expect(await eventsOf(given)).toEqual(events);
  expect((await eventsOf(request([user("run date")]))).at(-1)).toMatchObject({ reason: "tool-calls" });
});

test("the same words twice in a conversation are two calls with two ids", async () => {
  const first = await answerTo(request([user("run date")]));
  const done: Message = { role: "tool", toolCallId: first.toolCalls?.[0]?.id ?? "", content: "Monday" };
  const again = await answerTo(
    request([user("run date"), first, done, assistant("Monday"), user("run date")]),
  );
  expect(again.toolCalls?.[0]?.id).not.toBe(first.toolCalls?.[0]?.id);
});

test("it writes no summary: a request without tools is refused", async () => {
  const asked = request([{ role: "system", content: "Write one summary." }, user("list the files")], []);
  const error: unknown = await eventsOf(asked).catch((thrown: unknown) => thrown);
  expect(isAgentError(error, "MODEL_REFUSED")).toBe(true);
});

test("it ends when it is told to", async () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const listen = async (): Promise<void> => {
    for await (const event of offlineModel().stream(request([user("help")]), controller.signal)) {
      heard.push(event.type);
      if (heard.length === 3) controller.abort(new Error("enough"));
    }
  };
  await expect(listen()).rejects.toThrow("enough");
  expect(heard).toHaveLength(3);
  await expect(eventsOf(request([user("help")]), controller.signal)).rejects.toThrow("enough");
});
