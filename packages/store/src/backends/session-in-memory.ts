/** A whole session held in memory: what the memory and the json backend keep. */

import type { Entry } from "../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../format/fold.ts";
import type { Header } from "../format/header.ts";
import { sessionInfo } from "../format/session-info.ts";
import type { SessionInfo } from "../format/session-record.ts";
import type { EntryRange, EntryReader, Snapshot } from "../contract/backend.ts";
import { blocksOf } from "../contract/entry-blocks.ts";

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

  entries(range: EntryRange): AsyncIterable<readonly Entry[]> {
    return blocksOf(this.#entries, range);
  }

  /** Folds from the first record on: plain rather than quick, since others are compared with it. */
  stateAfter(seq: number): Promise<SessionState> {
    return Promise.resolve(this.upTo(seq).reduce(foldEntry, EMPTY_STATE));
  }
}
