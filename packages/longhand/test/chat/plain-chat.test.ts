import { describe, expect, test } from "vitest";
import picocolors from "picocolors";
import { ChatLink } from "../../src/chat/chat-link.ts";
import { greetingLines } from "../../src/chat/greeting.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import { runOnce } from "../../src/chat/run-once.ts";
import { runPiped } from "../../src/chat/run-piped.ts";
import type { Input } from "../../src/terminal/output.ts";
import { fakeOutput, type FakeOutput, type FakeOutputOptions } from "../support/fake-world.ts";
import { fakeAgent, fakeModel, type Script } from "./support/fake-agent.ts";
import { untilCancelled } from "./support/chat-in-memory.ts";

const script: Script = async ({ text, say, emit, approve, signal }) => {
  if (text === "wait") return await untilCancelled(signal);
  if (text === "unreachable") {
    for (const retryIn of [900, 1800, undefined])
      emit({
        type: "error",
        code: "MODEL_UNREACHABLE",
        message: "nobody is there.",
        ...(retryIn === undefined ? {} : { retryIn }),
      });
    return "failed";
  }
  if (text === "fail") {
    emit({ type: "error", code: "MODEL_UNREACHABLE", message: "nobody is there" });
    return "failed";
  }
  if (text === "ask") say((await approve("exec", { command: "ls" })) ? "allowed" : "refused");
  else {
    emit({ type: "reasoning-delta", text: "hm" });
    emit({ type: "tool-call", id: "1", name: "look", arguments: { at: "it" } });
    emit({ type: "tool-result", id: "1", name: "look", content: "seen", isError: false });
    say("# About ");
    say(`${text}\u001b[2J\r`);
    say("\n\tcode **bold**");
  }
  return "answered";
};

const nobody: Input = {
  isTerminal: false,
  read: () => Promise.resolve(Buffer.from("")),
  readLine: () => Promise.reject(new Error("nobody was to be asked")),
};

async function once(
  text: string,
  options: FakeOutputOptions & { json?: boolean; input?: Input; signal?: AbortSignal } = {},
): Promise<{ code: number; output: FakeOutput; kept: unknown[] }> {
  const link = new ChatLink();
  const { agent, store } = await fakeAgent(link, script);
  const { json = false, input = nobody, signal } = options;
  const output = fakeOutput(options);
  const given = { agent, key: "k", text, json, output, input, link };
  const code = await runOnce(signal === undefined ? given : { ...given, signal });
  const kept = (await agent.store.session("k").messages()).map(({ content }) => content);
  await store.close();
  return { code, output, kept };
}

describe("one message", () => {
  test("for a program the answer alone is on standard output, as it was written but for controls", async () => {
    const { code, output } = await once("tea");
    expect(code).toBe(0);
    expect(output.printed.join("")).toBe("# About tea\\x1b[2J\n\tcode **bold**\n");
    expect(output.complaints).toEqual(['→ look(at: "it")\n', "  ✓ seen\n"]);
  });

  test("as JSON each event is a line", async () => {
    const { output } = await once("tea", { json: true });
    const events = output.printed.map((line) => JSON.parse(line) as { type: string; key: string });
    expect(events.map(({ type }) => type)).toEqual([
      ...["turn-start", "reasoning-delta", "tool-call", "tool-result"],
      ...["text-delta", "text-delta", "text-delta", "turn-end"],
    ]);
    expect(new Set(events.map(({ key }) => key))).toEqual(new Set(["k"]));
    expect(output.complaints).toEqual([]);
  });

  test("for a person it is rendered", async () => {
    const { output } = await once("tea", { width: 60, colors: true });
    const shown = output.printed.join("");
    expect(shown).toContain("\u001b[4mAbout tea");
    expect(shown).toContain("look(");
    expect(shown).not.toContain("\u001b[2J");
  });

  test("without an answer it has failed, and says why", async () => {
    const { code, output, kept } = await once("fail");
    expect(code).toBe(1);
    expect(output.printed).toEqual([]);
    expect(output.complaints.join("")).toContain("nobody is there (MODEL_UNREACHABLE)");
    expect(kept[0]).toBe("fail");
  });

  test("the reason of a failure is said once, however often it is tried; nothing that cannot be typed is advised", async () => {
    const { output } = await once("unreachable");
    expect(output.complaints).toEqual([
      "✗ nobody is there (MODEL_UNREACHABLE)\n",
      "· trying again in 1 s\n",
      "· trying again in 2 s\n",
      "✗ given up after 3 tries (MODEL_UNREACHABLE)\n",
      "· no answer; your message is kept\n",
    ]);
  });

  test("it is never a command", async () => {
    expect((await once("/quit")).kept[0]).toBe("/quit");
  });

  test("Ctrl-C cancels it", async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const { code, output } = await once("wait", { signal: controller.signal });
    expect(code).toBe(1);
    expect(output.complaints.join("")).toContain("cancelled");
  });

  test("a question is asked where somebody is there, and refused elsewhere", async () => {
    expect((await once("ask")).output.printed.join("")).toBe("refused\n");
    const person = (answer: string): Input => ({
      ...nobody,
      isTerminal: true,
      readLine: () => Promise.resolve(answer),
    });
    const asked = async (answer: string): Promise<string> =>
      (await once("ask", { input: person(answer), errorWidth: 80 })).output.printed.join("");
    expect(await asked("y")).toBe("allowed\n");
    expect(await asked("")).toBe("refused\n");
    expect(await asked("sure thing")).toBe("refused\n");
    expect(
      (await once("ask", { input: person("y"), errorWidth: 80, json: true })).output.printed.join(""),
    ).toContain("refused");
  });
});

async function piped(
  lines: readonly string[],
  options: FakeOutputOptions & { isPerson?: boolean; json?: boolean } = {},
): Promise<{ code: number; stdout: string; stderr: string; said: unknown[] }> {
  const link = new ChatLink();
  const { agent, store } = await fakeAgent(link, script);
  const output = fakeOutput(options);
  const { isPerson = false, json = false } = options;
  const each = async function* (): AsyncIterable<string> {
    for (const line of lines) yield await Promise.resolve(line);
  };
  const code = await runPiped({
    ...{ agent, key: "k", output, json, link, isPerson, lines: each(), currentDirectory: "/" },
    toPaste: (words) => `longhand ${words}`,
    chooseModel: (wanted) => Promise.resolve(fakeModel(wanted)),
  });
  const messages = await agent.store.session("k").messages();
  await store.close();
  return {
    code,
    stdout: output.printed.join(""),
    stderr: output.complaints.join(""),
    said: messages.filter(({ role }) => role === "user").map(({ content }) => content),
  };
}

describe("a chat in plain lines", () => {
  test("each line is a message, blank ones are none, and the end of the input is the end", async () => {
    const { code, stdout, said } = await piped(["one", "", "two"]);
    expect(code).toBe(0);
    expect(said).toEqual(["one", "two"]);
    expect(stdout).toBe("# About one\\x1b[2J\n\tcode **bold**\n# About two\\x1b[2J\n\tcode **bold**\n");
  });

  test("commands work, and /quit ends it", async () => {
    const { code, stdout, said } = await piped(["/model fake:two", "/quit", "one"]);
    expect(code).toBe(0);
    expect(stdout).toContain("The model is now fake:two.");
    expect(said).toEqual([]);
  });

  test("a failure ends a pipe, and what was not sent is not kept in silence", async () => {
    const { code, stderr, said } = await piped(["fail", "one"]);
    expect(code).toBe(1);
    expect(said).toEqual(["fail"]);
    expect(stderr).toContain("the lines after this one were not sent");
    expect((await piped(["/hepl", "one"])).said).toEqual([]);
  });

  test("as JSON every line is a message", async () => {
    const { said, stdout } = await piped(["/quit"], { json: true });
    expect(said).toEqual(["/quit"]);
    for (const line of stdout.trim().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  test("a person is greeted, prompted and asked, and a failure does not end it; nothing is drawn", async () => {
    const { code, stdout, stderr, said } = await piped(["fail", "ask", "yes", "ask", "no", "/now x"], {
      isPerson: true,
      width: 60,
      errorWidth: 60,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/helper\nmodel +fake:one\nsession +k\n/);
    expect(stdout).toContain("> allowed");
    expect(stdout).toContain("> refused");
    expect(stderr).toContain("yes or no? [y/N]");
    expect(stderr).toContain("/now is for a chat on a terminal");
    expect(said).toEqual(["fail", "ask", "ask"]);
    expect(stdout + stderr).not.toContain("\u001b");
  });
});

test("the greeting says where things are kept, and says so if they are not as usual", async () => {
  const { agent, store } = await fakeAgent(new ChatLink(), script);
  const toPaste = commandToPaste({ home: "/elsewhere" });
  const greeting = (keptBy: "jsonl" | "json" | "memory"): string[] =>
    greetingLines({ ...agent, model: agent.model, keptBy }, "k", 200, picocolors.createColors(true), toPaste);
  expect(greeting("jsonl")).toHaveLength(6);
  expect(greeting("jsonl").slice(0, -1)).not.toContain("");
  expect(greeting("json").join()).toContain("longhand doctor --home /elsewhere");
  expect(greeting("memory").join()).toContain("Sessions are not kept");
  const narrow = greetingLines(agent, "a-key", 20, picocolors.createColors(false), toPaste);
  expect(narrow).toContain("workspace  …orkspace");
  for (const line of narrow) expect(line.length).toBeLessThanOrEqual(20);
  const why = "Ollama does not run at http://127.0.0.1:11434";
  expect(greetingLines(agent, "k", 200, picocolors.createColors(false), toPaste, why)).toContain(
    `No model found: ${why}.`,
  );
  await store.close();
});
