/**
 * Performs writes of one session: each is decided against the state that the ones before it will leave, then all of them
 * are committed together and answered.
 */

import type { Decision, Operation, Snapshot } from "../../contract/backend.ts";
import type { Written } from "../../contract/types.ts";
import type { Entry } from "../../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../../format/fold.ts";
import { toEntries } from "../../format/to-entries.ts";
import type { Host } from "../../host/host.ts";
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

/** A decided write and the answer it gets once its entries are durable. */
interface Decided {
  readonly waiting: WaitingWrite;
  readonly entries: readonly Entry[];
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
      const decided = await this.#decide(group, before);
      const batches = decided.map(({ entries }) => entries).filter((entries) => entries.length > 0);
      const first = batches[0]?.[0];
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
  async #decide(group: readonly WaitingWrite[], before: SessionLog | View): Promise<Decided[]> {
    let { state } = before;
    const decided: Decided[] = [];
    for (const waiting of group) {
      const { operation } = waiting;
      try {
        const decision = operation.reads
          ? await operation.decide(state, this.#view(before))
          : operation.decide(state);
        const entries = this.#toEntries(state, decision);
        for (const entry of entries) state = foldEntry(state, entry);
        decided.push({ waiting, entries, seq: "already" in decision ? decision.already : state.seq });
      } catch (error) {
        waiting.reject(error);
      }
    }
    return decided;
  }

  #view(before: SessionLog | View): View {
    return before instanceof SessionLog ? this.#deps.reading.view(before) : before;
  }

  #toEntries(state: SessionState, decision: Decision): readonly Entry[] {
    if ("already" in decision) return [];
    const at = new Date(this.#deps.host.now()).toISOString();
    return toEntries(state, decision.add, decision.id, at, decision.times);
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
