import { expect, test } from "vitest";
import { messageText } from "../src/message-text.ts";

const PICTURE = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
const PARTS = [
  { type: "text", text: "one" },
  PICTURE,
  { type: "text", text: "" },
  { type: "text", text: "two" },
] as const;

test("text is itself", () => {
  expect(messageText(" as it is \n")).toBe(" as it is \n");
});

test("of parts the texts, each on its own line; the others are left out, or told in the words given", () => {
  expect(messageText(PARTS)).toBe("one\ntwo");
  expect(messageText(PARTS, (part) => `[${part.type}]`)).toBe("one\n[image]\ntwo");
});
