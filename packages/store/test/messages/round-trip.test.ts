import fc from "fast-check";
import { expect, test } from "vitest";
import { messageBody } from "../../src/format/message-body.ts";
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

function thereAndBack<M extends object>(
  drawn: fc.Arbitrary<M[]>,
  from: (messages: readonly M[]) => ConvertedMessage[],
  to: (messages: readonly ConvertedMessage[]) => readonly object[],
): fc.IProperty<[M[]]> {
  return fc.property(drawn, (messages) => {
    expect(to(stored(from(messages)))).toEqual(asJson(messages));
  });
}

test.each([
  ["OpenAI", thereAndBack(openAIMessages, fromOpenAI, toOpenAI)],
  ["Anthropic", thereAndBack(anthropicMessages, fromAnthropic, toAnthropic)],
  ["AI SDK, UI and model messages mixed", thereAndBack(aiSdkMessages, fromAiSdk, (all) => toAiSdk(all))],
])("%s: there and back through a store is deep-equal", (_, property) => {
  fc.assert<[object[]]>(property as fc.IProperty<[object[]]>, RUNS);
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
