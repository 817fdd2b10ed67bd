/** Calls of a model that are more than anything can take: arguments that cannot be kept, thousands of calls at once. */

import { describe, expect, test } from "vitest";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import { answer, call, calls, ofType, say, scriptedModel, tool } from "./support/scripted.ts";
import { withStore } from "./support/with-store.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("arguments that no session can keep", () => {
  test.each([
    ["a number that is none", '{"n":1e999}'],
    ["one deep inside", '{"a":[{"b":[1,-1e999]}]}'],
    ["a little too much nesting", nested(101)],
    ["as much as the store refuses", nested(501)],
    ["far too much nesting", `{"a":${nested(50_000)}}`],
  ])("%s: are kept as text, and the model is told", async (_what, written) => {
    for (const backend of ["memory", "jsonl"] as const) {
      await withStore(backend, async (store) => {
        let runs = 0;
        const write = tool("write", () => String((runs += 1)));
        const model = scriptedModel(calls(call("1", "write", written)), answer("sorry"));
        const { result, messages, events } = await say(store.session("a"), "go", { model, tools: [write] });
        expect(result).toMatchObject({ outcome: "answered", text: "sorry" });
        expect(messages[1]?.toolCalls).toEqual([{ id: "1", name: "write", arguments: written }]);
        expect(messages[2]).toMatchObject({
          content: "the arguments have a number that is too large, or more than 100 levels; write them again",
          isError: true,
        });
        expect(ofType(events, "tool-call")).toMatchObject([{ arguments: written }]);
        expect(runs).toBe(0);
        expect(refusal(messages)).toBeUndefined();
      });
    }
  });

  test("control: what is large and can be kept is handed to the tool as it is", async () => {
    await withStore("jsonl", async (store) => {
      const given: unknown[] = [];
      const write = tool("write", (input) => String(given.push(input)));
      const written = `{"n":1e308,"deep":${nested(99)}}`;
      const model = scriptedModel(calls(call("1", "write", written)), answer("done"));
      const { messages } = await say(store.session("a"), "go", { model, tools: [write] });
      const parsed: unknown = JSON.parse(written);
      expect(given).toEqual([parsed]);
      expect(messages[1]?.toolCalls).toEqual([{ id: "1", name: "write", arguments: parsed }]);
    });
  });
});

describe("very many calls that only read", () => {
  const many = calls(...Array.from({ length: 1000 }, (_, index) => call(String(index), "look", { index })));
  /** Long enough for every call that may run beside this one to have begun. */
  const aMoment = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  test("run beside each other, and never more than eight", async () => {
    await withStore("memory", async (store) => {
      let [running, most] = [0, 0];
      const look = tool(
        "look",
        async (input) => {
          running += 1;
          most = Math.max(most, running);
          await aMoment();
          running -= 1;
          return JSON.stringify(input);
        },
        { isReadOnly: true },
      );
      const { result, messages } = await say(store.session("a"), "go", {
        model: scriptedModel(many, answer("seen")),
        tools: [look],
      });
      expect(result.outcome).toBe("answered");
      expect(most).toBe(8);
      const results = messages.filter(({ role }) => role === "tool");
      expect(new Set(results.map(({ content }) => content)).size).toBe(1000);
      expect(refusal(messages)).toBeUndefined();
    });
  });

  test("one that hangs does not hold up the others, and what is cancelled does not begin", async () => {
    await withStore("memory", async (store) => {
      const controller = new AbortController();
      let begun = 0;
      const look = tool(
        "look",
        async () => {
          begun += 1;
          if (begun === 1) return await new Promise<string>(() => undefined);
          if (begun === 500) controller.abort(new Error("enough"));
          await aMoment();
          return "seen";
        },
        { isReadOnly: true },
      );
      const { result, messages } = await say(
        store.session("a"),
        "go",
        { model: scriptedModel(many, answer("seen")), tools: [look] },
        { signal: controller.signal },
      );
      expect(result.outcome).toBe("cancelled");
      expect(begun).toBe(500);
      expect(messages.filter(({ role }) => role === "tool")).toHaveLength(1000);
      expect(refusal(messages)).toBeUndefined();
    });
  });
});
