/** What follows a turn reads the view once more only where the turn has not measured that there is room. */

import { memoryBackend, openStore } from "@longhand/store";
import { expect, test } from "vitest";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import { Upkeep } from "../../src/loop/upkeep.ts";

test.each<[string, number | undefined, number, number]>([
  ["there is room", 4001, 2, 0],
  ["an eighth of the request is free, and no more", 4000, 2, 1],
  ["it is not known how much is free", undefined, 2, 1],
  ["there are too many messages", 20_000, 51, 1],
])("%s", async (_, free, messages, looks) => {
  const store = await openStore(memoryBackend());
  const session = store.session("a");
  await session.append(
    Array.from({ length: messages }, (__, index) => ({ role: "user" as const, content: `${index}` })),
  );
  const kernel = createKernel({ onEvent: () => undefined });
  let looked = 0;
  const upkeep = new Upkeep(kernel, {
    agent: "test",
    maxHistoryMessages: undefined,
    maxContextTokens: undefined,
    request: async () => {
      looked += 1;
      return await Promise.resolve({ system: "", tools: [], maxTokens: 32_000, reserve: 4096, model: "m" });
    },
    ask: () => ({ model: "m", ask: undefined }),
    onProblem: ({ message }) => {
      throw new Error(message);
    },
  });
  await new Promise<void>((done) => upkeep.order({ session, free, onCompaction: () => undefined, done }));
  expect(looked).toBe(looks);
  await upkeep.stop();
  await kernel.close();
  await store.close();
});
