import { join } from "node:path";
import { expect, test } from "vitest";
import { withTemporaryDirectory } from "../support/fake-world.ts";

// What was built: it starts the program beside it.
const { killChat } = (await import(
  new URL("../../build/tour/kill-chat.js", import.meta.url).href
)) as typeof import("../../src/tour/kill-chat.ts");

// That one which is killed in its turn counts is seen by the test of the whole tour.
test("a chat that ended by itself before its moment came does not count as killed", async () => {
  await withTemporaryDirectory(async (home) => {
    const moment = { event: "turn-start", file: join(home, "never") };
    await expect(killChat(home, "a", "hello", moment)).rejects.toMatchObject({
      code: "TOUR_FAILED",
      message: expect.stringContaining("ended by itself") as string,
    });
  });
});
