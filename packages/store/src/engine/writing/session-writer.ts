/**
 * The writes of one session, in the order of the calls. Those that need only the state are decided together and share
 * a commit; one that must look into the log waits until everything before it is durable, and goes alone.
 */

import type { Awaitable, Host } from "../../host/host.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { SessionLog } from "../../session/session-log.ts";
import type { Entry } from "../../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../../format/fold.ts";
import { fileNameOf } from "../../format/key.ts";
import { toEntries } from "../../format/to-entries.ts";
import type { Decision, Operation, Snapshot } from "../../contract/backend.ts";
import type { Written } from "../../contract/types.ts";
import type { HeldSession } from "./held-session.ts";
import type { HeldSessionUse } from "./held-sessions.ts";

/** What a writer needs of the store around it. */
export interface WriterDeps {
  readonly host: Host;
  /** Waits in line for the key; its session is open then, if it has one. */
  enter(key: string): Awaitable<HeldSessionUse>;
  view(log: SessionLog): Snapshot;
  /** The archived session of a key that has no active one. */
  archived(key: string): Promise<Snapshot | undefined>;
  /** Brings the archived session back, or creates a new one, as old as its first record. */
  begin(heldSession: HeldSession, at: string): Promise<SessionLog>;
  /** Begins the session's next file if the present one is long enough. */
  sealIfLong(heldSession: HeldSession): Awaitable<void>;
  /** Rejects when nothing more may be written. */
  checkWritable(): Awaitable<void>;
  commit(records: readonly JournalRecord[], onDurable: () => void): Promise<void>;
  /** The log has newly acknowledged records. */
  apply(log: SessionLog): void;
  /** Nothing waits any more. */
  onIdle(key: string): void;
}

interface WaitingWrite {
  readonly operation: Operation;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/** Something else that must be alone with the session. */
interface WaitingTask {
  readonly task: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A decided write and the answer it gets once its entries are durable. */
interface Decided {
  readonly waiting: WaitingWrite;
  readonly entries: readonly Entry[];
  readonly seq: number;
}

/** So much is decided before it is committed: more would only be held in memory. */
const GROUP_SIZE = 1000;

export class SessionWriter {
  readonly #key: string;
  readonly #deps: WriterDeps;
  #queue: (WaitingWrite | WaitingTask)[] = [];
  #running: Promise<void> | undefined;

  constructor(key: string, deps: WriterDeps) {
    this.#key = key;
    this.#deps = deps;
  }

  async write(operation: Operation): Promise<Written> {
    return await new Promise((resolve, reject) => {
      this.#queue.push({ operation, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** After everything that was asked before, and before everything that is asked later. */
  async runAlone(task: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#queue.push({ task, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // A tick, so that calls made together are decided together.
    await Promise.resolve();
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      if ("task" in first) {
        this.#queue.shift();
        await first.task().then(first.resolve, first.reject);
        continue;
      }
      const group = this.#takeGroup();
      try {
        await this.#perform(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
    this.#deps.onIdle(this.#key);
  }

  #takeGroup(): WaitingWrite[] {
    const group: WaitingWrite[] = [];
    for (const next of this.#queue) {
      if ("task" in next || group.length >= GROUP_SIZE) break;
      if (next.operation.reads && group.length > 0) break;
      group.push(next);
      if (next.operation.reads) break;
    }
    this.#queue.splice(0, group.length);
    return group;
  }

  async #perform(group: readonly WaitingWrite[]): Promise<void> {
    const deps = this.#deps;
    await deps.checkWritable();
    const { heldSession, release } = await deps.enter(this.#key);
    try {
      await deps.sealIfLong(heldSession);
      const { log } = heldSession;
      const decided = await this.#decide(group, log ?? (await deps.archived(this.#key)) ?? NOTHING);
      const first = decided.find(({ entries }) => entries.length > 0)?.entries[0];
      if (first !== undefined) await this.#commit(decided, log ?? (await deps.begin(heldSession, first.at)));
      for (const { waiting, seq } of decided) waiting.resolve({ seq });
    } finally {
      await release();
    }
  }

  /** Each decision meets the state that the ones before it will leave. One that throws fails alone. */
  async #decide(group: readonly WaitingWrite[], before: SessionLog | View): Promise<Decided[]> {
    let { state } = before;
    const decided: Decided[] = [];
    for (const waiting of group) {
      try {
        const { operation } = waiting;
        const decision = operation.reads
          ? await operation.decide(state, before instanceof SessionLog ? this.#deps.view(before) : before)
          : operation.decide(state);
        const entries = this.#enter(state, decision);
        for (const entry of entries) state = foldEntry(state, entry);
        decided.push({ waiting, entries, seq: "already" in decision ? decision.already : state.seq });
      } catch (error) {
        waiting.reject(error);
      }
    }
    return decided;
  }

  #enter(state: SessionState, decision: Decision): readonly Entry[] {
    if ("already" in decision) return [];
    const at = new Date(this.#deps.host.now()).toISOString();
    return toEntries(state, decision.add, decision.id, at, decision.times);
  }

  async #commit(decided: readonly Decided[], log: SessionLog): Promise<void> {
    const batches = log.place(decided.map(({ entries }) => entries).filter((entries) => entries.length > 0));
    const { id, file } = log.header;
    const name = fileNameOf(this.#key);
    const records = batches.map(({ offset, bytes, after }): JournalRecord => ({
      session: id,
      file,
      name,
      offset,
      bytes,
      after,
    }));
    await this.#deps.commit(records, () => {
      log.acknowledge(batches);
      this.#deps.apply(log);
    });
  }
}

/** What a decision is made against. */
type View = Omit<Snapshot, "info">;

const NOTHING: View = {
  state: EMPTY_STATE,
  // eslint-disable-next-line @typescript-eslint/require-await -- an empty iterable of the kind that waits for a disk
  entries: async function* () {
    return;
  },
  stateAfter: () => Promise.resolve(EMPTY_STATE),
  firstSeq: 1,
};
