import { fromAiSdk, toAiSdk } from "@longhand/store/messages";
import { modelMessageSchema, type ModelMessage, type UIMessage } from "ai";
import { expect, test } from "vitest";

/** The compiler is a part of this test: the types of the AI SDK and of the converters fit without a cast. */
test("messages of the AI SDK go through the converters with its own types", () => {
  const shown: UIMessage[] = [
    { id: "m1", role: "user", parts: [{ type: "text", text: "Weather?" }] },
    {
      id: "m2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        {
          ...{ type: "tool-weather", toolCallId: "c1", state: "output-available" },
          ...{ input: { city: "Oslo" }, output: { celsius: 4 } },
        },
      ],
    },
  ];
  const ours = fromAiSdk(shown);
  const sent: ModelMessage[] = toAiSdk(ours, "model");
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  for (const message of sent) expect(modelMessageSchema.safeParse(message)).toMatchObject({ success: true });
  const back: UIMessage[] = toAiSdk(fromAiSdk(shown), "ui");
  const mixed: (ModelMessage | UIMessage)[] = toAiSdk(fromAiSdk([...sent, ...shown]));
  expect([back, mixed]).toEqual([shown, [...sent, ...shown]]);
});
