/** A memory backend whose sessions have lost their first records, as after a reclaim that was asked to drop them. */

import { memoryBackend } from "../../src/backends/memory.ts";
import { LonghandError } from "../../src/errors.ts";
import type { Backend, EntryRange, EntryReader, OpenBackend, Operation } from "../../src/contract/backend.ts";

export interface Dropping {
  /** The first seq that is kept; may be changed at any time. */
  firstSeq: number;
  /** What was read of the logs. */
  readonly ranges: EntryRange[];
  readonly backend: Backend;
}

export function droppedRecords(firstSeq: number): Dropping {
  const memory = memoryBackend();
  const dropping: Dropping = {
    firstSeq,
    ranges: [],
    backend: { ...memory, open: async (options) => droppingIn(await memory.open(options), dropping) },
  };
  return dropping;
}

function droppingIn(inner: OpenBackend, dropping: Dropping): OpenBackend {
  return {
    directory: inner.directory,
    putAway: inner.putAway,
    fork: inner.fork,
    upkeep: inner.upkeep,
    write: (key, operation) => inner.write(key, withoutDropped(operation, dropping)),
    snapshot: async (key) => {
      const snapshot = await inner.snapshot(key);
      return snapshot && { ...snapshot, ...readerOf(snapshot, dropping) };
    },
    async *snapshots() {
      for await (const snapshot of inner.snapshots()) yield { ...snapshot, ...readerOf(snapshot, dropping) };
    },
    lock: (key, options) => inner.lock(key, options),
    changed: (key, seen, signal) => inner.changed(key, seen, signal),
    close: () => inner.close(),
  };
}

function withoutDropped(operation: Operation, dropping: Dropping): Operation {
  if (!operation.reads) return operation;
  return {
    reads: true,
    decide: async (state, log) => await operation.decide(state, readerOf(log, dropping)),
  };
}

/** Stricter than a backend need be: asking for what is not there is a mistake of the front. */
function readerOf(inner: EntryReader, dropping: Dropping): EntryReader {
  const { firstSeq, ranges } = dropping;
  const check = (seq: number): void => {
    if (seq < firstSeq) throw new Error(`the front asked for record ${seq}, which is dropped`);
  };
  return {
    firstSeq,
    entries: (range) => {
      check(range.from);
      ranges.push(range);
      return inner.entries(range);
    },
    stateAfter: (seq) => {
      if (seq === 0 || seq >= firstSeq - 1) return inner.stateAfter(seq);
      return Promise.reject(new LonghandError("RECORD_DROPPED", "the backend cannot tell any more", { seq }));
    },
  };
}
