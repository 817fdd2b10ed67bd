/** Backends that each break one promise, to show that the conformance suite would notice. */

import { memoryBackend } from "../../src/backends/memory.ts";
import { isLonghandError } from "../../src/errors.ts";
import type { Body, Entry } from "../../src/format/entry.ts";
import type { SessionInfo } from "../../src/format/session-record.ts";
import type { Backend, Decision, OpenBackend, Operation, Snapshot } from "../../src/contract/backend.ts";
import type { CapabilityName } from "../../src/testing/conformance-case.ts";

type Breaking = (inner: OpenBackend) => Partial<OpenBackend>;

export function brokenBackend(
  breaking: Breaking,
  capabilities: Partial<Record<CapabilityName, boolean>> = {},
): Backend {
  const memory = memoryBackend();
  return {
    name: "broken",
    capabilities: { ...memory.capabilities, ...capabilities },
    open: async (options) => {
      const inner = await memory.open(options);
      return {
        directory: inner.directory,
        write: (key, operation) => inner.write(key, operation),
        snapshot: (key) => inner.snapshot(key),
        snapshots: () => inner.snapshots(),
        putAway: inner.putAway,
        fork: inner.fork,
        lock: (key, lockOptions) => inner.lock(key, lockOptions),
        changed: (key, seen, signal) => inner.changed(key, seen, signal),
        upkeep: inner.upkeep,
        close: () => inner.close(),
        ...breaking(inner),
      };
    },
  };
}

export const dropsTheLastRecord: Breaking = (inner) => ({
  snapshot: (key) =>
    changedSnapshot(inner, key, (snapshot) => ({
      ...snapshot,
      entries: ({ to, ...range }) => snapshot.entries({ ...range, to: Math.min(to, snapshot.state.seq - 1) }),
    })),
});

export const losesIds: Breaking = (inner) => ({
  write: (key, operation) =>
    inner.write(
      key,
      changedDecision(operation, (decision) =>
        "add" in decision ? { add: decision.add, id: undefined } : decision,
      ),
    ),
});

export const widensOnTruncate: Breaking = (inner) => ({
  write: (key, operation) =>
    inner.write(
      key,
      changedDecision(operation, (decision) =>
        "add" in decision ? { ...decision, add: decision.add.map(widened) } : decision,
      ),
    ),
});

export const ignoresConflicts: Breaking = (inner) => ({
  write: async (key, operation) => {
    try {
      return await inner.write(key, operation);
    } catch (error) {
      if (!isLonghandError(error, "SEQ_CONFLICT")) throw error;
      return { seq: (await inner.snapshot(key))?.state.seq ?? 0 };
    }
  },
});

/** The same object each time, for a caller to change. */
export const handsOutItsOwnTags: Breaking = (inner) => {
  const infos = new Map<string, SessionInfo>();
  return {
    snapshot: (key) =>
      changedSnapshot(inner, key, (snapshot) => {
        const tags = infos.get(key)?.tags ?? snapshot.info.tags;
        const info = { ...snapshot.info, tags };
        infos.set(key, info);
        return { ...snapshot, info };
      }),
  };
};

export const skipsASeq: Breaking = (inner) => ({
  snapshot: (key) =>
    changedSnapshot(inner, key, (snapshot) => ({
      ...snapshot,
      entries: (range) => renumbered(snapshot.entries(range)),
    })),
});

/** Every second write of a session waits until the next has overtaken it. */
export const writesOutOfOrder: Breaking = (inner) => {
  let calls = 0;
  return {
    write: async (key, operation) => {
      if (calls++ % 2 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      return await inner.write(key, operation);
    },
  };
};

export const mixesUpperAndLowerCase: Breaking = (inner) => ({
  write: (key, operation) => inner.write(key.toLowerCase(), operation),
  snapshot: (key) => inner.snapshot(key.toLowerCase()),
});

/** A batch is written as if it were single appends, and reads may come between. */
export const tearsBatches: Breaking = (inner) => ({
  write: async (key, operation) => {
    const bodies: Body[] = [];
    const first = await inner.write(
      key,
      changedDecision(operation, (decision) => {
        if (!("add" in decision)) return decision;
        bodies.push(...decision.add.slice(1));
        return { ...decision, add: decision.add.slice(0, 1) };
      }),
    );
    let last = first;
    for (const body of bodies) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      last = await inner.write(key, { reads: false, decide: () => ({ add: [body], id: undefined }) });
    }
    return last;
  },
});

/** A deleted session is only archived, and the next write brings it back. */
export const deletesHalfHeartedly: Breaking = ({ putAway }) => ({
  putAway: putAway && {
    ...putAway,
    delete: async (key) => await putAway.archive(key).catch(() => undefined),
  },
});

/** Whatever `at` says. */
export const forksEverything: Breaking = ({ fork }) => ({
  fork: fork && (async (key, newKey) => await fork(key, newKey, undefined)),
});

/** A watch sees what is there and then nothing more, until it is ended. */
export const missesChanges: Breaking = (inner) => ({
  changed: async (key, _seen, signal) => {
    const seen = async (): Promise<SessionInfo | undefined> => (await inner.snapshot(key))?.info;
    while (!signal.aborted) await inner.changed(key, await seen(), signal);
  },
});

/** A deleted session and the next one of its key cannot be told apart. */
export const reusesIds: Breaking = (inner) => ({
  snapshot: (key) =>
    changedSnapshot(inner, key, (snapshot) => ({ ...snapshot, info: { ...snapshot.info, id: key } })),
  changed: async (key, seen, signal) => {
    const now = (await inner.snapshot(key))?.info;
    const isSame = now?.seq === seen?.seq && now?.status === seen?.status;
    if (isSame) await inner.changed(key, now, signal);
  },
});

export const locksNothing: Breaking = () => ({
  lock: () => Promise.resolve(() => Promise.resolve()),
});

export const keepsLocks: Breaking = (inner) => ({
  lock: async (key, options) => {
    await inner.lock(key, { ...options, wait: Math.min(options.wait ?? 100, 100) });
    return () => Promise.resolve();
  },
});

export const purgesByLastWrite: Breaking = (inner) => ({
  putAway: inner.putAway && {
    ...inner.putAway,
    purge: async (before = Infinity, dryRun) => {
      const all = (await inner.putAway?.purge(undefined, true)) ?? [];
      const gone = all.filter(({ updated }) => Date.parse(updated) < before);
      if (!dryRun && gone.length > 0) await inner.putAway?.purge(undefined, false);
      return gone;
    },
  },
});

export const countsOnlyActiveSessions: Breaking = (inner) => ({
  upkeep: {
    ...inner.upkeep,
    verify: async ({ onProgress }) => {
      let [sessions, records] = [0, 0];
      for await (const { info } of inner.snapshots()) {
        if (info.status !== "active") continue;
        sessions++;
        records += info.seq;
      }
      onProgress(sessions, sessions);
      return { sessions, records, damage: [] };
    },
  },
});

/** Reclaims by cutting the log down to the view, dry run or not. */
export const dropsUnasked: Breaking = (inner) => {
  const reclaimed = new Set<string>();
  return {
    snapshot: (key) =>
      changedSnapshot(inner, key, (snapshot) =>
        reclaimed.has(key) ? { ...snapshot, firstSeq: snapshot.state.seq } : snapshot,
      ),
    upkeep: {
      ...inner.upkeep,
      reclaim: async (options) => {
        for await (const { info } of inner.snapshots()) reclaimed.add(info.key);
        return await inner.upkeep.reclaim(options);
      },
    },
  };
};

export const createsWhatIsRead: Breaking = (inner) => ({
  snapshot: async (key) => {
    const touched: Operation = {
      reads: false,
      decide: (state) => ({ add: state.seq === 0 ? [{ op: "meta" }] : [], id: undefined }),
    };
    await inner.write(key, touched);
    return await inner.snapshot(key);
  },
});

async function changedSnapshot(
  inner: OpenBackend,
  key: string,
  change: (snapshot: Snapshot) => Snapshot,
): Promise<Snapshot | undefined> {
  const snapshot = await inner.snapshot(key);
  return snapshot === undefined ? undefined : change(snapshot);
}

function changedDecision(operation: Operation, change: (decision: Decision) => Decision): Operation {
  return operation.reads
    ? { reads: true, decide: async (state, log) => change(await operation.decide(state, log)) }
    : { reads: false, decide: (state) => change(operation.decide(state)) };
}

function widened(body: Body): Body {
  return body.op === "truncate" ? { ...body, keepFrom: Math.min(body.keepFrom, 3) } : body;
}

async function* renumbered(blocks: AsyncIterable<readonly Entry[]>): AsyncIterable<readonly Entry[]> {
  for await (const block of blocks)
    yield block.map((entry) => (entry.seq > 2 ? { ...entry, seq: entry.seq + 1 } : entry));
}
