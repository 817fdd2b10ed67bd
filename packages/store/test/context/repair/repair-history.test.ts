import { describe, expect, test } from "vitest";
import { buildContext } from "../../../src/context/window/build-context.ts";
import { NO_RESULT } from "../../../src/context/repair/pair-results.ts";
import { pinMessage, pins } from "../../../src/context/pins.ts";
import { repairHistory } from "../../../src/context/repair/repair-history.ts";
import { memoryBackend, openStore, type Message, type Session } from "../../../src/index.ts";
import { recordsOf } from "../../support/conversation.ts";
import { onEachBackend } from "../../support/on-each-backend.ts";
import { brokenHistory, Chance, validHistory } from "../../support/random-histories.ts";
import { refusal } from "../../support/strict-provider.ts";

const user = (content: string): Message => ({ role: "user", content });
const calling = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "read", arguments: {} })),
});
const result = (toolCallId: string): Message => ({ role: "tool", toolCallId, content: "done" });

describe("repairHistory", () => {
  onEachBackend("appends the results that are missing at the end", async ({ store, reopen }) => {
    await store.session("a").append([user("go"), calling("a", "b"), result("b")]);
    expect(await repairHistory(store.session("a"))).toMatchObject([{ seq: 2, kind: "missing-result" }]);
    const session = (await reopen()).session("a");
    expect((await recordsOf(session)).map(({ seq, op }) => [seq, op])).toEqual(
      [1, 2, 3, 4].map((seq) => [seq, undefined]),
    );
    expect((await session.messages()).at(-1)).toMatchObject({
      toolCallId: "a",
      content: NO_RESULT,
      isError: true,
    });
    expect(await repairHistory(session)).toEqual([]);
    expect((await session.state())?.seq).toBe(4);
  });

  onEachBackend(
    "replaces a history that is wrong in the middle; summary and pins stay",
    async ({ store }) => {
      const session = store.session("a");
      await session.append([user("old"), user("go"), calling("a"), user("more"), result("a")]);
      await session.compact({ summary: "They said old.", keepFrom: 2 });
      await pinMessage(session, 4);
      expect((await repairHistory(session)).map(({ seq, kind }) => [seq, kind])).toEqual([
        [5, "moved-result"],
      ]);
      expect(await session.messages()).toEqual([user("go"), calling("a"), result("a"), user("more")]);
      expect((await session.state())?.summary).toBe("They said old.");
      const shown = (await recordsOf(session)).findLast(({ op }) => op === undefined);
      expect(await pins(session)).toEqual([{ seq: shown?.seq, message: user("more") }]);
      const before = (await session.state())?.seq;
      expect(await repairHistory(session)).toEqual([]);
      expect((await session.state())?.seq).toBe(before);
    },
  );

  test("of a session that does not exist does not begin it", async () => {
    await using store = await openStore(memoryBackend());
    expect(await repairHistory(store.session("a"))).toEqual([]);
    expect(await store.session("a").exists()).toBe(false);
  });

  test("decides anew when a message comes in between, and loses none", async () => {
    await using store = await openStore(memoryBackend());
    const session = store.session("a");
    await session.append([user("go"), calling("a")]);
    let isFirst = true;
    const meanwhile: Session = Object.create(session, {
      state: { value: session.state.bind(session) },
      replace: { value: session.replace.bind(session) },
      lastNote: { value: session.lastNote.bind(session) },
      append: { value: session.append.bind(session) },
      records: {
        value: async function* (options: Parameters<Session["records"]>[0]) {
          yield* session.records(options);
          if (isFirst) await session.append(user("still there?"));
          isFirst = false;
        },
      },
    }) as Session;
    await repairHistory(meanwhile);
    const messages = await session.messages();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(refusal(messages)).toBeUndefined();
  });

  test("leaves 500 random sessions whole, writes once, and not at all where nothing is wrong", async () => {
    await using store = await openStore(memoryBackend());
    for (let seed = 1; seed <= 500; seed += 1) {
      const chance = new Chance(seed);
      const session = store.session(`random ${seed}`);
      const history = chance.happens(0.7) ? brokenHistory(chance) : validHistory(chance);
      if (history.length === 0) continue;
      await session.append(history);
      const before = await session.state();
      const repairs = await repairHistory(session);
      const after = await session.state();
      const { messages } = await buildContext(session, { maxTokens: 1_000_000 });
      expect(refusal(messages), `seed ${seed}`).toBeUndefined();
      expect(brokenPairs(await session.messages()), `seed ${seed}`).toBe(0);
      expect(after?.seq === before?.seq).toBe(repairs.length === 0);
      expect(repairs.length === 0, `seed ${seed}`).toBe(brokenPairs(history) === 0);
      expect(await repairHistory(session)).toEqual([]);
      expect((await session.state())?.seq).toBe(after?.seq);
      expect(
        (await recordsOf(session))
          .slice(0, history.length)
          .map((record) => record.op === undefined && record.message),
      ).toEqual(history);
    }
  });
});

/** Results without a call right before them, and calls without a result right behind them; ids may be used again. */
function brokenPairs(messages: readonly Message[]): number {
  let broken = 0;
  let open: string[] = [];
  for (const { role, toolCalls = [], toolCallId } of messages) {
    if (role === "tool") {
      const index = open.indexOf(toolCallId ?? "");
      if (index === -1) broken += 1;
      else open.splice(index, 1);
      continue;
    }
    broken += open.length;
    open = role === "assistant" ? toolCalls.map(({ id }) => id) : [];
  }
  return broken + open.length;
}

test("an id that an earlier turn has used too is no reason to write, and a call left open is answered where it stands", async () => {
  await using store = await openStore(memoryBackend());
  const session = store.session("s");
  const call: Message = {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "call_0", name: "look", arguments: {} }],
  };
  const result: Message = { role: "tool", toolCallId: "call_0", content: "found" };
  const turn: Message[] = [
    { role: "user", content: "look" },
    call,
    result,
    { role: "assistant", content: "there" },
  ];
  await session.append([...turn, ...turn]);
  expect(await repairHistory(session)).toEqual([]);
  await session.append([{ role: "user", content: "again" }, call]);
  expect(await repairHistory(session)).toMatchObject([{ kind: "missing-result", seq: 10 }]);
  const messages = await session.messages();
  expect(messages).toHaveLength(11);
  expect(messages.slice(0, 8)).toEqual([...turn, ...turn]);
  expect(messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "call_0", isError: true });
});
