/** One thing at a time: blocks and what must happen between them never overlap. */

import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Committer } from "../../src/wal/committer.ts";
import type { Journal } from "../../src/wal/journal.ts";

test("tasks between blocks never overlap, with each other or with a block", async () => {
  let inside = 0;
  let most = 0;
  const alone = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    inside -= 1;
  };
  const journal: Pick<Journal, "append"> = { append: alone };
  const committer = new Committer(journal as Journal, {
    checkFence: () => Promise.resolve(),
    betweenBlocks: () => Promise.resolve(),
    onFailed: () => undefined,
  });
  await Promise.all([
    committer.commit([], () => undefined),
    committer.between(alone),
    committer.between(alone),
    committer.commit([], () => undefined),
  ]);
  expect(most).toBe(1);
});
