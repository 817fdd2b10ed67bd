/** What the commit pipeline does at the same time, what one thing after another, and what together. */

import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { CommitPipeline } from "../../src/engine/writing/commit-pipeline.ts";
import { StoreHealth } from "../../src/engine/writing/store-health.ts";
import type { Instance } from "../../src/engine/instance/begin-instance.ts";
import { layoutOf } from "../../src/format/layout.ts";
import type { Awaitable } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import type { PlacedBatch, SessionLog } from "../../src/session/session-log.ts";

interface FakeJournal {
  readonly bytes: number;
  append(): Awaitable<void>;
  beginGeneration?(): Promise<void>;
}

/** With a journal that may hold one byte. */
function pipelineOver(journal: FakeJournal): CommitPipeline {
  return new CommitPipeline({
    files: nodeHost.files,
    layout: layoutOf("/store"),
    instance: { journal, isFenceOpen: () => true } as unknown as Instance,
    health: new StoreHealth("/store"),
    journalBytes: 1,
    onDamage: () => undefined,
    onError: () => undefined,
  });
}

const BATCH = { bytes: Buffer.alloc(1) } as unknown as PlacedBatch;

function fakeLog(apply: () => Promise<void>): SessionLog {
  const log: Partial<SessionLog> = {
    acknowledge: () => undefined,
    apply,
    isUnsynced: false,
    owesRewrite: false,
    unappliedBytes: 0,
    isIn: () => true,
    checkApplied: async () => await Promise.resolve(),
  };
  return log as SessionLog;
}

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
  const log = fakeLog(async () => await Promise.resolve());
  const pipeline = pipelineOver({ bytes: 2, append: alone("block"), beginGeneration: alone("recycled") });
  const commit = async (): Promise<void> => await pipeline.commit(log, [BATCH]);
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

/** How often the records of 40 blocks, each of which waits for the one before it, are written into the session's file. */
async function appliesOf(append: () => Awaitable<void>): Promise<number> {
  let applies = 0;
  const log = fakeLog(async () => {
    applies += 1;
    await Promise.resolve();
  });
  const pipeline = pipelineOver({ bytes: 0, append });
  for (let block = 0; block < 40; block++) await pipeline.commit(log, [BATCH]);
  await pipeline.idle();
  return applies;
}

test("records of a caller that is answered at once and writes again at once are applied together", async () => {
  // The first at once, then after each 17 blocks, and what is left at the end.
  expect(await appliesOf(() => undefined)).toBe(4);
});

test("control: where the disk takes its time, each block is applied at once", async () => {
  expect(await appliesOf(async () => await setImmediate())).toBe(40);
});

test("a single block is applied without waiting for another", async () => {
  let applies = 0;
  const log = fakeLog(async () => {
    applies += 1;
    await Promise.resolve();
  });
  await pipelineOver({ bytes: 0, append: () => undefined }).commit(log, [BATCH]);
  expect(applies).toBe(1);
});
