/** One thing at a time: blocks and what must happen between them never overlap. */

import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { CommitPipeline } from "../../src/engine/writing/commit-pipeline.ts";
import { StoreHealth } from "../../src/engine/writing/store-health.ts";
import type { Instance } from "../../src/engine/instance/begin-instance.ts";
import { layoutOf } from "../../src/format/layout.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import type { PlacedBatch, SessionLog } from "../../src/session/session-log.ts";

test("a recycled journal and a block never overlap, nor do two of either", async () => {
  let inside = 0;
  let most = 0;
  const done: string[] = [];
  const alone = (what: string) => async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    inside -= 1;
    done.push(what);
  };
  // Larger than the pipeline lets it grow, so that it begins anew before each block.
  const journal = { bytes: 2, append: alone("block"), beginGeneration: alone("recycled") };
  const instance = { journal, isFenceOpen: () => true } as unknown as Instance;
  const pipeline = new CommitPipeline({
    files: nodeHost.files,
    layout: layoutOf("/store"),
    instance,
    health: new StoreHealth("/store"),
    journalBytes: 1,
    onDamage: () => undefined,
    onError: () => undefined,
  });
  const log: Partial<SessionLog> = {
    acknowledge: () => undefined,
    apply: async () => await Promise.resolve(),
    sync: async () => await Promise.resolve(),
    isUnsynced: false,
    owesRewrite: false,
    unappliedBytes: 0,
    isIn: async () => await Promise.resolve(true),
    checkApplied: async () => await Promise.resolve(),
  };
  const commit = async (): Promise<void> =>
    await pipeline.commit(log as SessionLog, [{ bytes: Buffer.alloc(1) } as unknown as PlacedBatch]);
  await Promise.all([
    commit(),
    pipeline.recycle(),
    pipeline.recycle().then(async () => await pipeline.recycle()),
    commit().then(commit),
  ]);
  expect(most).toBe(1);
  expect(done.filter((what) => what === "block")).toHaveLength(2);
  expect(done.filter((what) => what === "recycled").length).toBeGreaterThanOrEqual(2);
});
