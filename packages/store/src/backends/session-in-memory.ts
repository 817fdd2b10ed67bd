/** A whole session held in memory: what the memory and the json backend keep. */

import type { Entry } from "../record/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../record/fold.ts";
import type { Header } from "../record/header.ts";
import { sessionInfo } from "../record/session-info.ts";
import type { SessionInfo } from "../record/session-record.ts";
import type { EntryRange, EntryReader, Snapshot } from "../store/backend.ts";

export type SessionIdentity = Pick<Header, "key" | "id" | "at">;

export class SessionInMemory implements EntryReader {
  readonly header: SessionIdentity;
  readonly firstSeq = 1;
  /** Record n is at index n - 1. */
  readonly #entries: Entry[] = [];
  #state: SessionState = EMPTY_STATE;

  constructor(header: SessionIdentity, entries: readonly Entry[] = []) {
    this.header = header;
    this.add(entries);
  }

  get state(): SessionState {
    return this.#state;
  }

  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#state = foldEntry(this.#state, entry);
    }
  }

  /** Its records from the first one to this. */
  upTo(seq: number): readonly Entry[] {
    return this.#entries.slice(0, seq);
  }

  snapshot(status: SessionInfo["status"], bytesOnDisk = 0): Snapshot {
    const state = this.#state;
    return {
      info: sessionInfo(this.header, state, bytesOnDisk, 0, status),
      state,
      firstSeq: this.firstSeq,
      entries: (range) => this.entries({ ...range, to: Math.min(range.to, state.seq) }),
      stateAfter: (seq) => this.stateAfter(seq),
    };
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the interface is for readers that wait for a disk
  async *entries({ from, to, reverse }: EntryRange): AsyncIterable<Entry> {
    const first = Math.max(from, 1);
    const last = Math.min(to, this.#entries.length);
    for (let step = 0; step <= last - first; step++) {
      const entry = this.#entries[reverse ? last - step - 1 : first + step - 1];
      if (entry !== undefined) yield entry;
    }
  }

  /** Folds from the first record on: plain rather than quick, since others are compared with it. */
  stateAfter(seq: number): Promise<SessionState> {
    return Promise.resolve(this.upTo(seq).reduce(foldEntry, EMPTY_STATE));
  }
}
