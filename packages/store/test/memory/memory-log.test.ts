/** The log under a memory: atomic batches, progress that outlives everything, generations found again after damage. */

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { openStore } from "../../src/index.ts";
import type { EntryToAdd, MemoryWorld } from "../../src/memory/memory-log.ts";
import { StoredMemoryLog } from "../../src/memory/stored-memory-log.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { refusedWith, worldOf } from "./support/memory-in.ts";
import { override } from "./support/override.ts";

const ann = { user: "ann" } as const;
const PROGRESS = { key: "telegram:1", id: "01J", from: 1, to: 8 };

function fact(text: string): EntryToAdd {
  return { text, kind: "core", source: { by: "request" } };
}

describe("the log", () => {
  let directory: string;
  let log: StoredMemoryLog;
  beforeEach(async () => {
    directory = await makeTemporaryDirectory();
    log = new StoredMemoryLog(worldOf(nodeHost), directory);
    await log.open();
  });
  afterEach(async () => {
    await log.close();
    await removeDirectory(directory);
  });

  async function reopen(): Promise<void> {
    await log.close();
    log = new StoredMemoryLog(worldOf(nodeHost), directory);
    await log.open();
  }

  async function texts(): Promise<readonly string[]> {
    return (await log.read(ann)).entries.map(({ text }) => text);
  }

  test("reading a scope, and a decision to write nothing, leave nothing behind", async () => {
    expect((await log.read(ann)).entries).toEqual([]);
    expect(await log.add(ann, () => undefined)).toEqual([]);
    expect(await log.add(ann, () => ({ entries: [] }))).toEqual([]);
    await log.undo(ann, ["01J"]);
    expect(await log.views()).toEqual([]);
    expect((await readdir(directory)).filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });

  test("progress comes with the entries, or alone; undoing and forgetting do not take it back", async () => {
    const [daily] = await log.add(ann, () => ({ entries: [fact("a"), fact("b")], progress: PROGRESS }));
    const isTold = async (): Promise<number> => (await log.read(ann)).consolidatedTo("telegram:1", "01J");
    expect(await isTold()).toBe(8);
    await log.undo(ann, [daily?.id ?? ""]);
    expect(await isTold()).toBe(8);
    await log.forget(ann, daily?.id ?? "");
    await reopen();
    expect(await isTold()).toBe(8);
    await log.add(ann, () => ({ entries: [], progress: { ...PROGRESS, from: 9, to: 12 } }));
    const view = await log.read(ann);
    expect(await isTold()).toBe(12);
    expect(view.consolidatedTo("telegram:1", "other id")).toBe(0);
    expect(view.sessions).toEqual([{ ...PROGRESS, from: 9, to: 12 }]);
    expect((await log.read({})).consolidatedTo("telegram:1", "01J")).toBe(0);
  });

  test("a decision is made anew when somebody was faster", async () => {
    const other = new StoredMemoryLog(worldOf(nodeHost), directory);
    await log.add(ann, () => ({ entries: [fact("first")] }));
    expect((await other.read(ann)).entries.length).toBe(1);
    const consolidate = async (each: StoredMemoryLog, name: string): Promise<unknown> =>
      await each.add(ann, (view) =>
        view.consolidatedTo("telegram:1", "01J") > 0
          ? undefined
          : { entries: [fact(name)], progress: PROGRESS },
      );
    await Promise.all([
      consolidate(log, "of log"),
      consolidate(other, "of other"),
      consolidate(log, "again"),
    ]);
    await other.close();
    expect((await texts()).length).toBe(2);
  });

  test("what decide throws is what the caller gets, and nothing is written", async () => {
    const thrown = new Error("no");
    await expect(
      log.add(ann, () => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    await refusedWith(
      log.add(ann, () => ({ entries: [fact("good"), fact(" ")] })),
      "OPTION_INVALID",
    );
    expect(await texts()).toEqual([]);
  });

  test("reads only what is new since the last call", async () => {
    let records = 0;
    const counting: MemoryWorld = {
      ...worldOf(nodeHost),
      openStore: async (path, options) => {
        const store = await worldOf(nodeHost).openStore(path, options);
        return override(store, {
          session: (key) => {
            const session = store.session(key);
            return override(session, {
              records: async function* (options) {
                for await (const record of session.records(options)) {
                  records += 1;
                  yield record;
                }
              },
            });
          },
        });
      },
    };
    await log.add(ann, () => ({ entries: Array.from({ length: 300 }, (_, index) => fact(`fact ${index}`)) }));
    await log.close();
    log = new StoredMemoryLog(counting, directory);
    await log.read(ann);
    expect(records).toBe(300);
    await log.read(ann);
    await log.add(ann, () => ({ entries: [fact("one more")] }));
    expect((await log.read(ann)).entries.length).toBe(301);
    expect(records).toBe(301);
  });

  describe("after damage", () => {
    beforeEach(async () => {
      const [gone] = await log.add(ann, () => ({ entries: [fact("forgotten"), fact("a"), fact("b")] }));
      await log.forget(ann, gone?.id ?? "");
      await log.close();
    });

    test("the log is found without the session that names it", async () => {
      for (const name of await readdir(directory)) {
        if (/^_user_ann_~.*\.jsonl$/u.test(name)) await rm(join(directory, name));
      }
      await reopen();
      expect(await texts()).toEqual(["a", "b"]);
      await log.add(ann, () => ({ entries: [fact("c")] }));
      await reopen();
      expect(await texts()).toEqual(["a", "b", "c"]);
    });

    test("a generation that was not finished is removed, one that was takes its place", async () => {
      const store = await openStore(directory);
      const code = '[["user","ann"]]';
      const message = { role: "system", content: "half", memory: memoryOf("01K") } as const;
      await store.session(`${code}#3`).append(message);
      await store.close();
      await reopen();
      expect(await texts()).toEqual(["a", "b"]);
      await log.close();

      const again = await openStore(directory);
      expect(await again.session(`${code}#3`).exists()).toBe(false);
      await again.session(`${code}#3`).append({ ...message, content: "whole" });
      await again.session(`${code}#3`).note("longhand/memory-complete", {});
      await again.close();
      await reopen();
      expect(await texts()).toEqual(["whole"]);
    });
  });
});

function memoryOf(id: string): Record<string, unknown> {
  const at = "2026-11-15T19:24:12.123Z";
  return { id, kind: "core", at, confidence: 1, source: { by: "request" }, supersedes: [] };
}

describe("a crash while a turn is consolidated", () => {
  const OPTIONS = { onDamage: () => undefined, onError: () => undefined };

  /** Every combination of entries and progress that a crash may leave. */
  async function leftBy(write: (log: StoredMemoryLog) => Promise<void>): Promise<ReadonlySet<string>> {
    const machine = new SimulatedMachine(9);
    const log = new StoredMemoryLog(worldOf(machine.startProcess(), OPTIONS), "/memory");
    await log.open();
    const moments: Capture[] = [];
    machine.onOperation(({ changedDisk }) => {
      if (changedDisk) moments.push(machine.capture());
    });
    await write(log);
    await log.close();
    const left = new Set<string>();
    for (const capture of moments) {
      for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 6 })]) {
        const found = new StoredMemoryLog(worldOf(state.startProcess(), OPTIONS), "/memory");
        const { entries, sessions } = await found.read(ann);
        left.add(`${entries.map(({ text }) => text).join("+")} to ${sessions[0]?.to ?? 0}`);
        await found.close();
      }
    }
    return left;
  }

  test(
    "leaves the daily entry, the facts and the progress, or none of them",
    { timeout: 60_000 },
    async () => {
      const left = await leftBy(async (log) => {
        await log.add(ann, () => ({ entries: [fact("day"), fact("fact")], progress: PROGRESS }));
      });
      expect(left).toEqual(new Set([" to 0", "day+fact to 8"]));
    },
  );

  test("and this would be noticed: one after the other", { timeout: 300_000 }, async () => {
    const left = await leftBy(async (log) => {
      await log.add(ann, () => ({ entries: [fact("day")] }));
      await log.add(ann, () => ({ entries: [fact("fact")] }));
      await log.add(ann, () => ({ entries: [], progress: PROGRESS }));
    });
    expect([...left]).toContain("day+fact to 0");
  });
});
