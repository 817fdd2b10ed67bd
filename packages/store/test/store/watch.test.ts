/** What the conformance suite cannot see of a watch: what it leaves behind, how it reads, what fails meanwhile. */

import { getEventListeners } from "node:events";
import { copyFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryBackend } from "../../src/backends/memory.ts";
import { eachEntry } from "../../src/contract/entry-blocks.ts";
import { LonghandError } from "../../src/errors.ts";
import { openStore } from "../../src/open-store.ts";
import type { EntryRange, Snapshot } from "../../src/contract/backend.ts";
import type { Session } from "../../src/contract/types.ts";
import { collect, numbered, say, sayAll, wordOf } from "../../src/testing/case-language.ts";
import { brokenBackend } from "../support/broken-backends.ts";
import { droppedRecords } from "../support/dropped-records.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test("takes its listeners off the caller's signal: left, ended, or failed in the consumer", async () => {
  const session = (await openStore(memoryBackend())).session("s");
  await numbered(session, 2);
  const { signal } = new AbortController();
  for await (const record of session.watch({ signal })) {
    expect(listeners(signal)).toBe(1);
    if (record.seq === 2) break;
  }
  expect(listeners(signal)).toBe(0);
  const failing = async (): Promise<void> => {
    for await (const record of session.watch({ signal })) throw new Error(`at ${record.seq}`);
  };
  await expect(failing()).rejects.toThrow("at 1");
  expect(listeners(signal)).toBe(0);
  for await (const record of session.watch({ signal })) if (record.seq === 2) await session.delete();
  expect(listeners(signal)).toBe(0);
});

test("takes its listeners off what the backend was given, too", async () => {
  const signals: AbortSignal[] = [];
  const store = await openStore(
    brokenBackend((inner) => ({
      changed: (key, seen, signal) => {
        signals.push(signal);
        return inner.changed(key, seen, signal);
      },
    })),
  );
  const session = store.session("s");
  await session.append(say("a"));
  for await (const record of session.watch()) {
    if (record.seq === 3) break;
    await session.append(say("b"));
  }
  const waiting = collect(store.session("nobody").watch());
  await store.close();
  expect(await waiting).toEqual([]);
  expect(signals.length).toBeGreaterThan(0);
  for (const signal of signals) expect(listeners(signal)).toBe(0);
});

test("many on one store make no warning about listeners", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on("warning", listen);
  const store = await openStore(memoryBackend());
  const many = Array.from({ length: 50 }, async () => await collect(store.session("s").watch()));
  await store.session("s").append(say("a"));
  await store.close();
  await Promise.all(many);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});

test("reads in bounded steps, however much is there", async () => {
  const ranges: EntryRange[] = [];
  const session = await sessionWith((snapshot) => ({
    ...snapshot,
    entries: (range) => {
      ranges.push(range);
      return snapshot.entries(range);
    },
  }));
  await session.append(sayAll(...Array.from({ length: 2500 }, (_, index) => String(index + 1))));
  const words: unknown[] = [];
  for await (const record of session.watch()) {
    words.push(wordOf(record));
    if (record.seq === 2500) break;
  }
  expect(words).toEqual(Array.from({ length: 2500 }, (_, index) => String(index + 1)));
  for (const { from, to } of ranges) expect(to - from).toBeLessThan(1000);
});

test("passes over records that are damaged, and does not wait for them", async () => {
  const session = await sessionWith((snapshot) => ({
    ...snapshot,
    async *entries(range) {
      for await (const block of snapshot.entries(range))
        yield block.filter(({ seq }) => seq !== 2 && seq !== 3);
    },
  }));
  await numbered(session, 3);
  const seqs: number[] = [];
  for await (const { seq } of session.watch()) {
    seqs.push(seq);
    if (seq === 1) void session.append(say("4"));
    if (seq === 4) break;
  }
  expect(seqs).toEqual([1, 4]);
});

test("a record that was dropped before it was read is RECORD_DROPPED, which says what is left", async () => {
  const dropping = droppedRecords(1);
  const session = (await openStore(dropping.backend)).session("s");
  await numbered(session, 6);
  dropping.firstSeq = 4;
  const seqs: number[] = [];
  const watching = async (from?: number): Promise<void> => {
    for await (const { seq } of session.watch(from === undefined ? {} : { from })) {
      seqs.push(seq);
      if (seq !== 6) continue;
      dropping.firstSeq = 9;
      await session.append(sayAll("7", "8", "9"));
    }
  };
  await expect(watching(3)).rejects.toMatchObject({
    code: "RECORD_DROPPED",
    detail: { seq: 3, firstSeq: 4 },
  });
  await expect(watching()).rejects.toThrow(/"s".*record 7 .*9 to 9 are still there/);
  expect(seqs).toEqual([4, 5, 6]);
});

test("a session that is deleted for ever while it is read ends it", async () => {
  const session = await sessionWith((snapshot) => ({
    ...snapshot,
    async *entries(range) {
      for await (const entry of eachEntry(snapshot.entries(range))) {
        if (entry.seq === 2) throw new LonghandError("SESSION_NOT_FOUND", "deleted while it was read", {});
        yield [entry];
      }
    },
  }));
  await numbered(session, 2);
  const seqs: number[] = [];
  for await (const { seq } of session.watch()) {
    seqs.push(seq);
    await session.delete({ forever: true });
  }
  expect(seqs).toEqual([1]);
});

test("other failures come through, with the key; what fails after its end does not", async () => {
  const failure = new LonghandError("IO_FAILED", "the disk is gone", {});
  const failing = await openStore(brokenBackend(() => ({ changed: () => Promise.reject(failure) })));
  await expect(collect(failing.session("s").watch())).rejects.toMatchObject({
    code: "IO_FAILED",
    detail: { key: "s" },
  });
  const controller = new AbortController();
  const ending = await openStore(
    brokenBackend(() => ({
      changed: () => {
        controller.abort();
        return Promise.reject(failure);
      },
    })),
  );
  expect(await collect(ending.session("s").watch({ signal: controller.signal }))).toEqual([]);
});

async function sessionWith(change: (snapshot: Snapshot) => Snapshot): Promise<Session> {
  const backend = brokenBackend((inner) => ({
    snapshot: async (key) => {
      const snapshot = await inner.snapshot(key);
      return snapshot && change(snapshot);
    },
  }));
  return (await openStore(backend)).session("s");
}

test("ends with SESSION_CHANGED when an older file was put back and has gone on differently", async () => {
  const root = await makeTemporaryDirectory();
  const directory = join(root, "store");
  const path = sessionFile(directory, "s");
  const write = async (...words: readonly string[]): Promise<void> => {
    const store = await openStore(directory);
    for (const word of words) await store.session("s").append(say(word));
    await store.close();
  };
  await write("1", "2");
  await copyFile(path, join(root, "older"));
  await write("3 old", "4 old");
  const reader = await openStore(directory, { readOnly: true });
  const seen: unknown[] = [];
  const watching = (async () => {
    for await (const record of reader.session("s").watch()) {
      seen.push(wordOf(record));
      if (record.seq !== 4) continue;
      // In the middle of it: the next look finds the other history.
      await rename(join(root, "older"), path);
      await write("3 new", "4 new", "5 new");
    }
  })();
  await expect(watching).rejects.toMatchObject({ code: "SESSION_CHANGED", detail: { key: "s", seq: 4 } });
  expect(seen).toEqual(["1", "2", "3 old", "4 old"]);
  await reader.close();
  await removeDirectory(root);
});
