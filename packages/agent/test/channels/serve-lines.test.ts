import { memoryBackend, openStore, type Session, type Store } from "@longhand/store";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { serveLines, type ServeOptions } from "../../src/channels/serve-lines.ts";
import { sessionKeyOf } from "../../src/channels/session-key.ts";
import type { UnusableLine } from "../../src/channels/split-lines.ts";
import { deferred } from "../../src/kernel/deferred.ts";
import { TURN_NOTE } from "../../src/turn/turn-log.ts";
import { FakeAgent, type FakeAgentOptions } from "./support/fake-agent.ts";

type Line = Record<string, unknown>;

let store: Store;
beforeEach(async () => {
  store = await openStore(memoryBackend());
});
afterEach(async () => {
  await store.close();
});

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* linesOf(...lines: (object | string)[]): AsyncGenerator<string> {
  for (const line of lines) {
    yield typeof line === "string" ? line : JSON.stringify(line);
    await eventLoopTurn();
  }
}

interface Served {
  readonly agent: FakeAgent;
  readonly out: Line[];
  /** Of one type. */
  readonly ofType: (type: string) => Line[];
}

async function serve(
  lines: ServeOptions["lines"],
  options: Partial<FakeAgentOptions> & Partial<Pick<ServeOptions, "signal" | "mostTurns" | "write">> = {},
): Promise<Served> {
  const agent = new FakeAgent({ store, ...options });
  const out: Line[] = [];
  await serveLines({
    agents: [agent.instance],
    listen: agent.listen,
    lines,
    write: options.write ?? ((line) => void out.push(JSON.parse(line) as Line)),
    signal: options.signal ?? new AbortController().signal,
    ...(options.mostTurns === undefined ? {} : { mostTurns: options.mostTurns }),
  });
  expect(agent.inHand).toBe(0);
  expect(agent.listeners).toBe(0);
  return { agent, out, ofType: (type) => out.filter((line) => line["type"] === type) };
}

async function leaveOpen(key: string): Promise<Session> {
  const session = store.session(key);
  await session.note(TURN_NOTE, { turn: "old", state: "open" });
  await session.append({ role: "user", content: "before the crash" });
  return session;
}

const ann = { channel: "telegram", chat: "ann", sender: "ann" };
const bobInGroup = { channel: "telegram", chat: "group", thread: "7", sender: "bob" };

describe("serveLines", () => {
  test("answers each line in its own conversation and says whose each event is", async () => {
    const { out, agent } = await serve(
      linesOf({ ...ann, text: "hello", id: "m1" }, { ...bobInGroup, text: "hi" }),
    );
    const ofAnn = out.filter((line) => line["sender"] === "ann");
    const ofBob = out.filter((line) => line["sender"] === "bob");
    expect(ofAnn.length + ofBob.length).toBe(out.length);
    expect(ofAnn.map(({ type }) => type)).toEqual(["turn-start", "text-delta", "turn-end", "done"]);
    expect(ofAnn[1]).toEqual({
      ...ann,
      ...{
        type: "text-delta",
        agent: "main",
        key: sessionKeyOf(ann),
        turn: "turn 1",
        text: "you said hello",
      },
    });
    expect(ofAnn[3]).toMatchObject({
      ...ann,
      line: 1,
      id: "m1",
      outcome: "answered",
      text: "you said hello",
    });
    expect(ofBob[3]).toMatchObject({ ...bobInGroup, line: 2, outcome: "answered" });
    // Alone with somebody there is no need to say who speaks; in a group there is.
    expect(agent.said.map(({ said }) => said)).toEqual([
      { text: "hello", id: "m1" },
      { text: "hi", name: "bob" },
    ]);
  });

  test("never mixes two senders, in their words or in what is remembered of them", async () => {
    const carol = { ...bobInGroup, sender: "carol" };
    const { agent } = await serve(linesOf({ ...bobInGroup, text: "bob's" }, { ...carol, text: "carol's" }));
    for (const [place, words] of [
      [bobInGroup, "bob's"],
      [carol, "carol's"],
    ] as const) {
      const history = await store.session(sessionKeyOf(place)).messages();
      expect(history.map(({ content }) => content)).toEqual([words, `you said ${words}`]);
    }
    const scopes = [...agent.scopes.values()].map((scope) => JSON.stringify(scope));
    expect(new Set(scopes).size).toBe(2);
    expect(agent.scopes.get(sessionKeyOf(carol))).toEqual({
      agent: "main",
      channel: '["telegram",null,"group"]',
      user: "carol",
    });
  });

  test("answers a bad line with an error that names it, and goes on", async () => {
    const good = { ...ann, text: "still here" };
    const bad: (object | string)[] = [
      ...["{", "null", "[]", "17", '"text"', '{"channel":"a"}', "\u0000", "{}", "{]}"],
      ...[
        { ...good, extra: 1 },
        { ...good, text: 5 },
        { ...good, text: "" },
        { ...good, sender: "" },
        { ...good, chat: 5 },
      ],
      ...[
        { ...good, whenBusy: "now" },
        { ...good, thread: null },
        { ...good, sender: "x".repeat(2000) },
      ],
      ...[
        { ...good, text: "x".repeat(1024 * 1024) },
        { ...good, agent: "nobody" },
      ],
      ...['{"__proto__":{"channel":"a"},"chat":"b","sender":"c","text":"d"}'],
      ...['{"channel":"a","chat":"b","sender":"c","text":"d","constructor":1}'],
    ];
    const { agent, out, ofType } = await serve(linesOf(...bad, "", "   ", good));
    expect(ofType("error").map(({ line }) => line)).toEqual(bad.map((_, index) => index + 1));
    for (const error of ofType("error")) expect(error["message"]).toMatch(/\S/);
    expect(ofType("error").at(-3)).toMatchObject({ code: "AGENT_UNKNOWN" });
    expect(ofType("done")).toMatchObject([{ line: bad.length + 3, text: "you said still here" }]);
    expect(agent.said).toHaveLength(1);
    expect(out).toHaveLength(bad.length + 4);
  });

  test("answers what is no line with one error at its number", async () => {
    async function* lines(): AsyncGenerator<string | UnusableLine> {
      yield await Promise.resolve({ unusable: "the line is no UTF-8" });
      yield JSON.stringify({ ...ann, text: "still here" });
    }
    const { out, ofType } = await serve(lines());
    expect(out[0]).toEqual({ type: "error", line: 1, code: "LINE_INVALID", message: "the line is no UTF-8" });
    expect(ofType("done")).toMatchObject([{ line: 2, text: "you said still here" }]);
  });

  test("takes a line of exactly the most bytes", async () => {
    const room = 1024 * 1024 - JSON.stringify({ ...ann, text: "" }).length;
    const { ofType } = await serve(linesOf({ ...ann, text: "x".repeat(room) }));
    expect(ofType("done")).toHaveLength(1);
  });

  test("keeps the order within a conversation and runs different ones at the same time", async () => {
    const gates = new Map([1, 2, 3].map((number) => [`"a${number}"`, deferred<undefined>()]));
    const input = [1, 2, 3].flatMap((number) => [
      { ...ann, text: `a${number}` },
      { ...bobInGroup, text: `b${number}` },
    ]);
    const out: Line[] = [];
    const serving = serve(linesOf(...input), {
      work: async ({ text }) => {
        await gates.get(JSON.stringify(text))?.promise;
      },
      write: (line) => void out.push(JSON.parse(line) as Line),
    });
    // All of Bob's are over while Ann's first still runs.
    await vi.waitFor(
      () => {
        const done = out.filter(({ type }) => type === "done").map(({ text }) => text);
        expect(done).toEqual(["you said b1", "you said b2", "you said b3"]);
      },
      { timeout: 60_000 },
    );
    for (const gate of [...gates.values()].toReversed()) gate.resolve(undefined);
    await serving;
    const ofAnn = out.filter(
      ({ sender, type }) =>
        (sender === "ann" && type === "turn-start") || (sender === "ann" && type === "done"),
    );
    expect(ofAnn.map(({ type, text }) => text ?? type)).toEqual([
      ...["turn-start", "you said a1", "turn-start", "you said a2", "turn-start", "you said a3"],
    ]);
  });

  test("has at most so many turns in hand; reading waits", async () => {
    let read = 0;
    const gate = deferred<undefined>();
    async function* many(): AsyncGenerator<string> {
      for (let chat = 0; chat < 20; chat += 1) {
        read += 1;
        yield await Promise.resolve(
          JSON.stringify({ channel: `c${chat % 3}`, chat: `${chat}`, sender: "s", text: "x" }),
        );
      }
    }
    const serving = serve(many(), {
      mostTurns: 4,
      work: async () => {
        await gate.promise;
      },
    });
    for (let turn = 0; turn < 50; turn += 1) await eventLoopTurn();
    expect(read).toBe(5);
    gate.resolve(undefined);
    const { agent, ofType } = await serving;
    expect(agent.mostInHand).toBe(4);
    expect(ofType("done")).toHaveLength(20);
  });

  test("somebody who sends faster than they are answered takes nobody else's room, and is refused in the end", async () => {
    const gate = deferred<undefined>();
    async function* lines(): AsyncGenerator<string> {
      for (let number = 0; number < 120; number += 1)
        yield await Promise.resolve(JSON.stringify({ ...ann, text: `${number}` }));
      yield JSON.stringify({ ...bobInGroup, text: "me too" });
      await vi.waitFor(() => expect(agent.said.some(({ said }) => said.text === "me too")).toBe(true), {
        timeout: 60_000,
      });
      gate.resolve(undefined);
    }
    const agent = new FakeAgent({
      store,
      work: async (said) => (said.text === "me too" ? undefined : await gate.promise),
    });
    const out: Line[] = [];
    await serveLines({
      agents: [agent.instance],
      listen: agent.listen,
      lines: lines(),
      write: (line) => void out.push(JSON.parse(line) as Line),
      signal: new AbortController().signal,
      mostTurns: 2,
    });
    const refused = out.filter(({ code }) => code === "TOO_MANY_WAITING");
    expect(refused).toHaveLength(30);
    expect(out.filter(({ type }) => type === "done")).toHaveLength(91);
  });

  test("ends although nobody reads what is written, once it is told to end", async () => {
    const controller = new AbortController();
    const never = new Promise<void>(() => undefined);
    const serving = serve(linesOf({ ...ann, text: "one" }, { ...ann, text: "two" }), {
      signal: controller.signal,
      write: async () => await never,
    });
    for (let turn = 0; turn < 50; turn += 1) await eventLoopTurn();
    controller.abort(new Error("SIGTERM"));
    await serving;
  });

  test("does not read on while nobody takes what is written", async () => {
    let read = 0;
    const gate = deferred<undefined>();
    async function* many(): AsyncGenerator<string> {
      for (let chat = 0; chat < 50; chat += 1) {
        read += 1;
        yield await Promise.resolve(
          chat % 2 === 0 ? "bad" : JSON.stringify({ ...ann, chat: `${chat}`, text: "x" }),
        );
      }
    }
    let written = 0;
    const serving = serve(many(), {
      mostTurns: 3,
      write: async () => {
        await gate.promise;
        written += 1;
      },
    });
    for (let turn = 0; turn < 50; turn += 1) await eventLoopTurn();
    expect(read).toBeLessThan(6);
    gate.resolve(undefined);
    await serving;
    expect({ read, written }).toEqual({ read: 50, written: 25 + 25 * 4 });
  });

  test("closes turns that a crash has left open before it reads, and tells of them", async () => {
    const places = [ann, bobInGroup, { channel: "e-mail", account: "shop", chat: "1", sender: "2" }];
    for (const key of [...places.map(sessionKeyOf), "by hand"]) await leaveOpen(key);
    // Nothing is open in these, so nobody is to be kept waiting for them.
    await store.session(sessionKeyOf({ ...ann, chat: "2" })).append({ role: "user", content: "no turn" });
    const whole = await leaveOpen(sessionKeyOf({ ...ann, chat: "3" }));
    await whole.note(TURN_NOTE, { turn: "old", state: "ended", outcome: "answered" });
    const open = new Set([
      sessionKeyOf(ann),
      sessionKeyOf({ channel: "e-mail", account: "shop", chat: "1", sender: "2" }),
    ]);
    const recovered: string[] = [];
    const openAtFirstRead: number[] = [];
    async function* lines(): AsyncGenerator<string> {
      openAtFirstRead.push(open.size);
      yield await Promise.resolve(JSON.stringify({ ...ann, text: "I am back" }));
    }
    const { out } = await serve(lines(), {
      open,
      recover: async (key) => {
        await eventLoopTurn();
        recovered.push(key);
        if (key === sessionKeyOf(bobInGroup)) throw new Error("locked by another program");
      },
    });
    expect(openAtFirstRead).toEqual([0]);
    expect(recovered.toSorted()).toEqual(places.map(sessionKeyOf).toSorted());
    expect(out.filter(({ outcome }) => outcome === "interrupted")).toMatchObject([
      expect.objectContaining({ type: "turn-end" }),
      expect.objectContaining({ type: "turn-end" }),
    ]);
    expect(out.filter(({ type }) => type === "error")).toMatchObject([
      { ...bobInGroup, message: "locked by another program" },
    ]);
    expect(out.at(-1)).toMatchObject({ type: "done", text: "you said I am back" });
  });

  test("on abort stops reading, also a source that hangs, and waits for the turns it cancels", async () => {
    const controller = new AbortController();
    async function* lines(): AsyncGenerator<string> {
      yield JSON.stringify({ ...ann, text: "long work" });
      await new Promise(() => {});
    }
    const serving = serve(lines(), {
      signal: controller.signal,
      work: async (_, signal) => {
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        await eventLoopTurn();
      },
    });
    for (let turn = 0; turn < 20; turn += 1) await eventLoopTurn();
    controller.abort(new Error("SIGINT"));
    const { ofType } = await serving;
    expect(ofType("done")).toMatchObject([{ outcome: "cancelled" }]);
    const never = await serve(linesOf({ ...ann, text: "too late" }), { signal: controller.signal });
    expect(never.out).toEqual([]);
  });

  test("on abort a line that was read and not said is told to be sent again", async () => {
    const controller = new AbortController();
    const { ofType, agent } = await serve(
      linesOf({ ...ann, text: "first" }, { ...bobInGroup, text: "second" }),
      {
        signal: controller.signal,
        mostTurns: 1,
        work: async () => {
          for (let turn = 0; turn < 20; turn += 1) await eventLoopTurn();
          controller.abort(new Error("SIGTERM"));
        },
      },
    );
    expect(agent.said.map(({ said }) => said.text)).toEqual(["first"]);
    expect(ofType("error")).toMatchObject([{ line: 2, code: "LOOP_CLOSED", sender: "bob" }]);
    expect(ofType("error")[0]?.["message"]).toContain("send it again");
  });

  test("rejects when lines cannot be written or read, with nothing left in hand", async () => {
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) yield await Promise.resolve(JSON.stringify({ ...ann, text: "x" }));
    };
    const broken = serve(endless(), { write: () => Promise.reject(new Error("EPIPE")) });
    await expect(broken).rejects.toThrow("EPIPE");
    const failing = async function* (): AsyncGenerator<string> {
      yield await Promise.resolve(JSON.stringify({ ...ann, text: "x" }));
      throw new Error("EIO");
    };
    await expect(serve(failing())).rejects.toThrow("EIO");
  });

  test("leaves out what happens in sessions that are no channel's, and chooses the agent that is named", async () => {
    const [first, second] = [
      new FakeAgent({ store }),
      new FakeAgent({ store: await openStore(memoryBackend()), name: "b" }),
    ];
    const out: Line[] = [];
    await serveLines({
      agents: [first.instance, second.instance],
      listen: (sink) => {
        const leave = [first.listen(sink), second.listen(sink)];
        return () => {
          for (const one of leave) one();
        };
      },
      lines: linesOf({ ...ann, text: "x", agent: "b" }, { ...ann, text: "steer", whenBusy: "steer" }),
      write: (line) => {
        if (out.length === 0)
          first.emit({ agent: "main", key: "by hand", turn: "t", type: "text-delta", text: "private" });
        out.push(JSON.parse(line) as Line);
      },
      signal: new AbortController().signal,
    });
    expect(JSON.stringify(out)).not.toContain("private");
    expect(second.said.map(({ said }) => said.text)).toEqual(["x"]);
    expect(first.said).toMatchObject([{ said: { text: "steer" }, whenBusy: "steer" }]);
    await second.store.close();
  });
});
