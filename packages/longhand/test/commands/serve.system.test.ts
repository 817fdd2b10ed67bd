/** `longhand serve --stdio` as other programs run it: in a process of its own, after the build, also when it is attacked and killed. */

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { sessionKeyOf } from "@longhand/agent";
import { openStore, type Message } from "@longhand/store";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type ModelServer,
  type RecordedRequest,
  type Script,
} from "../../../agent/test/support/model-server.ts";
import { startOpenaiServer } from "../../../agent/test/support/openai-server.ts";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";
import { PROGRAM, Serving, writeConfig } from "../support/serving.ts";

beforeAll(async () => {
  await expect(stat(PROGRAM), "run `npm run build` first").resolves.toBeDefined();
});

const started: Serving[] = [];
const servers: ModelServer[] = [];
afterEach(async () => {
  for (const serving of started.splice(0)) await serving.kill("SIGKILL");
  for (const server of servers.splice(0)) await server.close();
});

function serve(home: string, words: readonly string[] = []): Serving {
  const serving = new Serving(home, words);
  started.push(serving);
  return serving;
}

async function modelServer(home: string, script: Script, config: object = {}): Promise<ModelServer> {
  const server = await startOpenaiServer(script);
  servers.push(server);
  await writeConfig(home, server.url, config);
  return server;
}

const group = { channel: "telegram", chat: "group" };
const ada = { ...group, sender: "ada" };
const bob = { ...group, sender: "bob" };

async function historyOf(home: string, place: typeof ada): Promise<Message[]> {
  await using store = await openStore(join(home, "sessions"), { readOnly: true });
  return await store.session(sessionKeyOf(place)).messages();
}

function sentIn(
  request: RecordedRequest | undefined,
): { readonly role: string; readonly content: unknown }[] {
  return (request?.body?.["messages"] ?? []) as { role: string; content: unknown }[];
}

/** Says "Begun" and no more, for as long as the connection holds. */
const STALLED = { text: ["Begun", " and ended"], stop: { afterBytes: 330, then: "stall" } } as const;

/** Waits until what was shown is in the files, which may take a second. */
async function untilOnDisk(home: string, words: string): Promise<void> {
  const sessions = join(home, "sessions");
  await vi.waitFor(
    async () => {
      const names = (await readdir(sessions)).filter((name) => name.endsWith(".jsonl"));
      const files = await Promise.all(names.map((name) => readFile(join(sessions, name), "utf8")));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect(file).toContain(words);
    },
    { timeout: 60_000, interval: 50 },
  );
}

describe("two senders never mix", () => {
  const senders = [
    ...["a", "b", "A", "a/from:b", "a%2ffrom:b", "%2F", "%2f", "/", "a/", "..", "ада", "é", "e\u0301", "a "],
    ...["\ud800", "\udc00", "😀", "__proto__", "constructor", "\u202ea", "\n", "a\nb: hello", "group"],
  ];
  const isMemory = ({ body }: RecordedRequest): boolean =>
    JSON.stringify(body).includes("You keep the memory");
  const tokensIn = (value: unknown): string[] => JSON.stringify(value).match(/token-\d+-of/g) ?? [];

  /** Every sender says two things. Answers with what each was answered, and with the requests that were about more than one of them. */
  async function exchange(
    home: string,
    nameOf: (sender: string) => string,
  ): Promise<{ answers: Map<number, unknown>[]; mixed: number; server: ModelServer }> {
    const server = await modelServer(
      home,
      (request) => ({
        text: isMemory(request)
          ? '{"history_entry":"They talked."}'
          : `about ${tokensIn(request.body).at(-1) ?? "nothing"}`,
      }),
      { memory: { enabled: true } },
    );
    const serving = serve(home);
    const answers: Map<number, unknown>[] = [];
    for (const [round, words] of ["first", "second"].entries()) {
      for (const [index, sender] of senders.entries()) {
        serving.say({ ...group, sender: nameOf(sender), text: `token-${index}-of ${words}` });
      }
      const done = await serving.until("done", (round + 1) * senders.length);
      const ofRound = done.slice(round * senders.length);
      answers.push(new Map(ofRound.map(({ line, text }) => [(Number(line) - 1) % senders.length, text])));
    }
    expect((await serving.end()).exitCode).toBe(0);
    expect(serving.ofType("error")).toEqual([]);
    // The next start asks the model about every conversation, one by one, to put it into the memory.
    const next = serve(home);
    next.say({ ...group, sender: "the next start", text: "hello" });
    const conversations = new Set(senders.map(nameOf)).size;
    const askedForMemory = (): number => server.requests.filter(isMemory).length;
    await vi.waitFor(() => expect(askedForMemory()).toBeGreaterThanOrEqual(conversations), {
      timeout: 120_000,
    });
    await next.end();
    const mixed = server.requests.filter(({ body }) => new Set(tokensIn(body)).size > 1).length;
    return { answers, mixed, server };
  }

  test("whatever they are called, in what the model is sent and in what they are answered", async () => {
    await withTemporaryDirectory(async (home) => {
      const { answers, mixed, server } = await exchange(home, (sender) => sender);
      const own = new Map(senders.map((_, index) => [index, `about token-${index}-of`]));
      for (const ofRound of answers) expect(new Map([...ofRound].toSorted(([a], [b]) => a - b))).toEqual(own);
      expect(mixed).toBe(0);
      for (const index of senders.keys()) {
        const second = server.requests.find((request) =>
          JSON.stringify(sentIn(request).at(-1)).includes(`token-${index}-of second`),
        );
        expect(JSON.stringify(sentIn(second))).toContain(`token-${index}-of first`);
      }
    });
  });

  test("control: if all had one name, it would be seen", async () => {
    await withTemporaryDirectory(async (home) => {
      expect((await exchange(home, () => "a")).mixed).toBeGreaterThan(0);
    });
  });

  test("in a group the model is told who speaks, alone with somebody it is not", async () => {
    await withTemporaryDirectory(async (home) => {
      const server = await modelServer(home, () => ({ text: "yes" }));
      const serving = serve(home);
      serving.say({ ...ada, text: "in the group" });
      await serving.until("done");
      serving.say({ ...ada, chat: "ada", text: "alone" });
      await serving.end();
      expect(server.requests.map((request) => sentIn(request).at(-1)?.content)).toEqual([
        "ada: in the group",
        "alone",
      ]);
    });
  });
});

describe("after kill -9 in the middle of a turn", () => {
  test("each goes on where they were, and the open turns are closed before anything is read", async () => {
    await withTemporaryDirectory(async (home) => {
      const server = await modelServer(home, (_, index) => (index < 2 ? STALLED : { text: "Gone on." }));
      const killed = serve(home);
      killed.say({ ...ada, text: "ada's question", id: "m1" });
      killed.say({ ...bob, text: "bob's question" });
      await killed.until("text-delta", 2);
      await untilOnDisk(home, "Begun");
      expect((await killed.kill("SIGKILL")).signal).toBe("SIGKILL");
      expect(killed.ofType("done")).toEqual([]);

      const next = serve(home);
      // Nothing is said to it yet.
      const closed = await next.until("turn-end", 2);
      expect(closed).toMatchObject([{ outcome: "interrupted" }, { outcome: "interrupted" }]);
      expect(closed.map(({ sender }) => sender).toSorted()).toEqual(["ada", "bob"]);
      expect(next.out).toHaveLength(2);
      // Whoever did not hear how it ended may say it again, and it is not asked twice.
      next.say({ ...ada, text: "ada's question", id: "m1" });
      expect(await next.until("done")).toMatchObject([{ id: "m1", outcome: "interrupted", text: "Begun" }]);
      expect(server.requests).toHaveLength(2);
      next.say({ ...ada, text: "ada goes on" });
      next.say({ ...bob, text: "bob goes on" });
      expect((await next.end()).exitCode).toBe(0);
      expect(next.ofType("done").slice(1)).toMatchObject([
        { outcome: "answered", text: "Gone on." },
        { outcome: "answered", text: "Gone on." },
      ]);
      expect(server.requests).toHaveLength(4);
      for (const [place, name] of [
        [ada, "ada"],
        [bob, "bob"],
      ] as const) {
        const history = await historyOf(home, place);
        expect(refusal(history)).toBeUndefined();
        expect(history.map(({ content }) => content)).toEqual([
          `${name}'s question`,
          "Begun",
          "[The program ended before this turn was over.]",
          `${name} goes on`,
          "Gone on.",
        ]);
        const request = server.requests.find(
          (one) => sentIn(one).at(-1)?.content === `${name}: ${name} goes on`,
        );
        const users = sentIn(request).filter(({ role }) => role === "user");
        expect(users.map(({ content }) => content)).toEqual([
          `${name}: ${name}'s question`,
          `${name}: ${name} goes on`,
        ]);
      }
    });
  });

  test("a turn that another process is in the middle of is no crash: it is neither closed nor waited for", async () => {
    await withTemporaryDirectory(async (home) => {
      await modelServer(home, (_, index) => (index === 0 ? STALLED : { text: "Here." }));
      const first = serve(home);
      first.say({ ...ada, text: "long work" });
      await first.until("text-delta");
      const second = serve(home);
      second.say({ ...bob, text: "are you there?" });
      expect((await second.end()).exitCode).toBe(0);
      expect(second.out.map(({ type, sender }) => [type, sender])).toEqual([
        ...["turn-start", "text-delta", "usage", "turn-end", "done"].map((type) => [type, "bob"]),
      ]);
      expect(second.ofType("done")).toMatchObject([{ text: "Here." }]);
      expect(first.ofType("turn-end")).toEqual([]);
      await first.kill("SIGTERM");
      expect(first.ofType("done")).toMatchObject([{ outcome: "cancelled" }]);
    });
  });
});

test("the same id twice is answered once", async () => {
  await withTemporaryDirectory(async (home) => {
    const server = await modelServer(home, (_, index) => ({ text: `answer ${index + 1}` }));
    const serving = serve(home);
    serving.say({ ...ada, text: "hello", id: "m1" });
    serving.say({ ...ada, text: "hello", id: "m1" });
    serving.say({ ...ada, text: "something else", id: "m1" });
    serving.say({ ...bob, text: "hello", id: "m1" });
    expect((await serving.end()).exitCode).toBe(0);
    const done = serving.ofType("done").toSorted((one, other) => Number(one["line"]) - Number(other["line"]));
    expect(done.map(({ line, sender }) => [line, sender])).toEqual([
      [1, "ada"],
      [2, "ada"],
      [4, "bob"],
    ]);
    expect(done[1]).toMatchObject({ turn: done[0]?.["turn"], text: done[0]?.["text"] });
    expect(serving.ofType("error")).toMatchObject([
      { line: 3, id: "m1", code: "ID_CONFLICT", sender: "ada" },
    ]);
    expect(server.requests).toHaveLength(2);
    expect(await historyOf(home, ada)).toHaveLength(2);
  });
});

test("what is no line is answered with one error each, and the next one is read", async () => {
  await withTemporaryDirectory(async (home) => {
    const serving = serve(home, ["--model", "offline"]);
    const { stdin } = serving.child;
    stdin.write("{not json\n");
    stdin.write(`{"text":"${"x".repeat(2 * 1024 * 1024)}"}\n`);
    stdin.write(Buffer.from([0x7b, 0xff, 0xfe, 0x0a]));
    stdin.write('{"channel":"t"}\r\n\r\n\n');
    const good = JSON.stringify({ ...ada, text: "help me\u2028please" });
    stdin.write(`${good}\r\n`);
    // The last line has no end.
    stdin.end(JSON.stringify({ ...bob, text: "help" }));
    const { exitCode, stderr } = await serving.ended;
    expect([exitCode, stderr]).toEqual([0, ""]);
    const errors = serving.ofType("error");
    expect(errors.map(({ line, code }) => [line, code])).toEqual(
      [1, 2, 3, 4].map((line) => [line, "LINE_INVALID"]),
    );
    expect(errors[3]).toMatchObject({ message: "chat is missing; sender is missing; text is missing" });
    expect(errors[1]?.["message"]).toContain("more than 1048576 bytes");
    expect(errors[2]?.["message"]).toContain("UTF-8");
    const done = serving.ofType("done").toSorted((one, other) => Number(one["line"]) - Number(other["line"]));
    expect(done).toMatchObject([
      { line: 7, sender: "ada", outcome: "answered" },
      { line: 8, sender: "bob", outcome: "answered" },
    ]);
    expect((await historyOf(home, ada))[0]?.content).toBe("help me\u2028please");
  });
});

describe("the end", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s in the middle of a turn keeps what was shown",
    async (signal) => {
      await withTemporaryDirectory(async (home) => {
        await modelServer(home, () => STALLED);
        const serving = serve(home);
        serving.say({ ...ada, text: "a question" });
        await serving.until("text-delta");
        serving.say({ ...ada, text: "another, while it runs" });
        expect(await serving.kill(signal)).toEqual({ exitCode: 0, signal: null, stderr: "" });
        expect(serving.ofType("done")).toMatchObject([{ line: 1, outcome: "cancelled", text: "Begun" }]);
        const history = await historyOf(home, ada);
        expect(refusal(history)).toBeUndefined();
        expect(history.map(({ content }) => content)).toEqual([
          "a question",
          "Begun",
          "[Cancelled before the answer was complete.]",
        ]);
        // What was not begun is either not read, or told: it may be sent again.
        for (const error of serving.ofType("error")) expect(error).toMatchObject({ line: 2 });
      });
    },
  );

  test("of the input: turns in hand, and those that wait for them, are finished first", async () => {
    await withTemporaryDirectory(async (home) => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      await modelServer(home, (_, index) => ({
        text: ["Begun", " and ended"],
        ...(index === 0 ? { stop: { afterBytes: 330, then: released } } : {}),
      }));
      const serving = serve(home);
      serving.say({ ...ada, text: "one" });
      serving.say({ ...ada, text: "two" });
      await serving.until("text-delta");
      const ended = serving.end();
      release();
      expect((await ended).exitCode).toBe(0);
      expect(serving.ofType("done")).toMatchObject([
        { line: 1, outcome: "answered", text: "Begun and ended" },
        { line: 2, outcome: "answered", text: "Begun and ended" },
      ]);
    });
  });

  test("of the reader: what is in hand is kept, and it is no error", async () => {
    await withTemporaryDirectory(async (home) => {
      await modelServer(home, (_, index) => (index === 0 ? STALLED : { text: "nobody hears it" }));
      const serving = serve(home);
      serving.say({ ...ada, text: "a question" });
      await serving.until("text-delta");
      serving.child.stdout.destroy();
      serving.say({ ...bob, text: "to nobody" });
      expect(await serving.ended).toEqual({ exitCode: 0, signal: null, stderr: "" });
      expect((await historyOf(home, ada)).map(({ content }) => content)).toContain("Begun");
      expect((await historyOf(home, bob)).at(0)?.content).toBe("to nobody");
    });
  });
});

test("whoever does not read what comes out is not read from for ever, and then gets all of it", async () => {
  await withTemporaryDirectory(async (home) => {
    const serving = serve(home, ["--model", "offline"]);
    const { stdin, stdout } = serving.child;
    stdout.pause();
    const lines = 20_000;
    let sent = 0;
    const send = async (): Promise<void> => {
      for (; sent < lines; sent += 1) {
        if (!stdin.write(`${"x".repeat(1000)}\n`))
          await new Promise((resolve) => stdin.once("drain", resolve));
      }
      stdin.end();
    };
    const sending = send();
    // Until nothing more is taken.
    for (let before = -1; before !== sent || sent === 0;) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    expect(sent).toBeLessThan(lines / 2);
    stdout.resume();
    await sending;
    expect((await serving.ended).exitCode).toBe(0);
    expect(serving.ofType("error")).toHaveLength(lines);
  });
});
