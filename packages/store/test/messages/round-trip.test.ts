import fc from "fast-check";
import { expect, test } from "vitest";
import { messageBody } from "../../src/record/message-body.ts";
import { fromAiSdk, fromAnthropic, fromOpenAI, toAiSdk, toAnthropic, toOpenAI } from "../../src/messages.ts";
import type { ConvertedMessage } from "../../src/messages.ts";
import { aiSdkMessages, anthropicMessages, openAIMessages } from "./arbitrary-messages.ts";

const RUNS = { numRuns: 3000 };

/** As a store gives it back: through JSON, and as copies. */
function stored(messages: readonly ConvertedMessage[]): ConvertedMessage[] {
  return messages.map((message) => {
    const body = messageBody(message);
    return JSON.parse(body.op === "message" ? body.json : "") as ConvertedMessage;
  });
}

/** JSON has no -0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("OpenAI: there and back through a store is deep-equal", () => {
  fc.assert(
    fc.property(openAIMessages, (messages) => {
      expect(toOpenAI(stored(fromOpenAI(messages)))).toEqual(asJson(messages));
    }),
    RUNS,
  );
});

test("Anthropic: there and back through a store is deep-equal", () => {
  fc.assert(
    fc.property(anthropicMessages, (messages) => {
      expect(toAnthropic(stored(fromAnthropic(messages)))).toEqual(asJson(messages));
    }),
    RUNS,
  );
});

test("AI SDK: UI and model messages, also mixed, there and back through a store are deep-equal", () => {
  fc.assert(
    fc.property(aiSdkMessages, (messages) => {
      expect(toAiSdk(stored(fromAiSdk(messages)))).toEqual(asJson(messages));
    }),
    RUNS,
  );
});

test("the result of one format can be written as every other", () => {
  fc.assert(
    fc.property(openAIMessages, anthropicMessages, aiSdkMessages, (openAI, anthropic, aiSdk) => {
      const all = [...fromOpenAI(openAI), ...fromAnthropic(anthropic), ...fromAiSdk(aiSdk)];
      for (const to of [toOpenAI, toAnthropic, toAiSdk])
        expect(JSON.stringify(to(all))).not.toContain('"foreign":{"format"');
    }),
    { numRuns: 300 },
  );
});
