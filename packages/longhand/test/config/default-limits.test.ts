import { DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES } from "@longhand/store/context";
import { expect, test } from "vitest";
import * as limits from "../../src/config/default-limits.ts";

test("the default limits are those of the store", () => {
  expect({ ...limits }).toEqual({ DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES });
});
