/**
 * Performs writes of one session: each is decided against the state that the ones before it will leave, then all of them
 * are committed together and answered.
 */

import type { Decision, Operation, Snapshot } from "../../contract/backend.ts";
import type { Written } from "../../contract/types.ts";
import type { Entry } from "../../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../../format/fold.ts";
import { toEntries } from "../../format/to-entries.ts";
import type { Awaitable, Host } from "../../host/host.ts";
import { SessionLog } from "../../session/session-log.ts";
import type { SessionChanges } from "../reading/session-changes.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";
import type { HeldSessions } from "./held-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { sealHeld } from "./seal-session.ts";
import type { StorePlace } from "./store-place.ts";
import type { StoreReading } from "./store-reading.ts";

export interface SessionWriterDeps {
  readonly host: Host;
  readonly pipeline: CommitPipeline;
  readonly place: StorePlace;
  readonly sessions: OpenSessions;
  readonly heldSessions: HeldSessions;
  readonly reading: StoreReading;
  readonly changes: SessionChanges;
  /** A longer file is sealed before the next write. */
  readonly segmentBytes: number;
}

export interface WaitingWrite {
  readonly operation: Operation;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/** A decided write, the state that it leaves, and the answer it gets once its entries are durable. */
interface Decided {
  readonly waiting: WaitingWrite;
  readonly entries: readonly Entry[];
  readonly state: SessionState;
  readonly seq: number;
}

export class SessionWriter {
  readonly #deps: SessionWriterDeps;

  constructor(deps: SessionWriterDeps) {
    this.#deps = deps;
  }

  /** Answers all of them, or rejects. */
  async perform(key: string, group: readonly WaitingWrite[]): Promise<void> {
    const { pipeline, place, sessions, heldSessions, changes } = this.#deps;
    const checking = pipeline.checkWritable();
    if (checking instanceof Promise) await checking;
    const entering = heldSessions.enter(key);
    const heldSession = entering instanceof Promise ? await entering : entering;
    try {
      if (this.#isLong(heldSession.log)) await sealHeld(sessions.sealing, heldSession, heldSession.log);
      const { log } = heldSession;
      const before = log ?? (await place.newestArchived(key))?.snapshot ?? NOTHING;
      const deciding = this.#decide(group, before);
      const decided = deciding instanceof Promise ? await deciding : deciding;
      const batches = decided.filter(({ entries }) => entries.length > 0);
      const first = batches[0]?.entries[0];
      if (first !== undefined) {
        const written = log ?? (await sessions.begin(heldSession, first.at));
        await pipeline.commit(written, written.place(batches));
        changes.tell(key);
      }
      for (const { waiting, seq } of decided) waiting.resolve({ seq });
    } finally {
      const releasing = heldSessions.release(heldSession);
      if (releasing instanceof Promise) await releasing;
    }
  }

  #isLong(log: SessionLog | undefined): log is SessionLog {
    return log !== undefined && log.end >= this.#deps.segmentBytes;
  }

  /** One that throws fails alone. */
  #decide(group: readonly WaitingWrite[], before: SessionLog | View): Awaitable<Decided[]> {
    let { state } = before;
    const decided: Decided[] = [];
    for (const waiting of group) {
      const { operation } = waiting;
      // It is alone in its group (session-queues.ts).
      if (operation.reads) return this.#decideByLog(waiting, operation, before);
      try {
        const next = this.#toDecided(waiting, state, operation.decide(state));
        ({ state } = next);
        decided.push(next);
      } catch (error) {
        waiting.reject(error);
      }
    }
    return decided;
  }

  async #decideByLog(
    waiting: WaitingWrite,
    operation: Extract<Operation, { reads: true }>,
    before: SessionLog | View,
  ): Promise<Decided[]> {
    try {
      const { state } = before;
      return [this.#toDecided(waiting, state, await operation.decide(state, this.#view(before)))];
    } catch (error) {
      waiting.reject(error);
      return [];
    }
  }

  #toDecided(waiting: WaitingWrite, before: SessionState, decision: Decision): Decided {
    if ("already" in decision) return { waiting, entries: [], state: before, seq: decision.already };
    const at = new Date(this.#deps.host.now()).toISOString();
    const entries = toEntries(before, decision.add, decision.id, at, decision.times);
    let state = before;
    for (const entry of entries) state = foldEntry(state, entry);
    return { waiting, entries, state, seq: state.seq };
  }

  #view(before: SessionLog | View): View {
    return before instanceof SessionLog ? this.#deps.reading.view(before) : before;
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
