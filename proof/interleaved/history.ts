/** What several processes asked of one store and what they were told, with an order of events that all of them share. */

import type { SessionInfo } from "@longhand/store";
import type { AttemptedWrite, FoundMessage } from "../oracle/judge-history.ts";

export interface TimedWrite extends AttemptedWrite {
  readonly store: StoreLife;
  readonly called: number;
  answer: AttemptedWrite["answer"];
  /** Infinity: never answered. */
  answered: number;
}

/** Something other than a write, as it was asked for and answered. */
export interface Attempted {
  readonly called: number;
  /** Refused: nothing was done. Unknown: no answer, or an error that leaves it open. */
  outcome: "done" | "refused" | "unknown";
  /** Infinity: it may take effect at any later time. */
  answered: number;
}

/** What makes a key's session active, archived or trashed, if it is done. Writes and forks do so too. */
export interface Move extends Attempted {
  readonly key: string;
  readonly to: SessionInfo["status"];
}

export interface Fork extends Attempted {
  readonly key: string;
  readonly to: string;
  readonly at: number | undefined;
}

export interface SeenMessage extends FoundMessage {
  /** The event at which it was seen. */
  readonly seen: number;
}

export interface Read {
  readonly key: string;
  readonly kind: "read" | "watch";
  readonly store: StoreLife;
  readonly called: number;
  readonly messages: SeenMessage[];
  isComplete: boolean;
}

/** One opening of the store, until it is closed or its process is killed. */
export interface StoreLife {
  ended: number;
}

export class History {
  readonly writes: TimedWrite[] = [];
  readonly reads: Read[] = [];
  readonly forks: Fork[] = [];
  readonly moves: Move[] = [];
  /** Keys of which another session may have begun: by a delete or a fork that was asked for. */
  readonly renewed: Set<string> = new Set<string>();
  /** What must never happen, whatever is found on the disk afterwards. */
  readonly problems: string[] = [];
  #events = 0;

  /** The number of the next event. */
  next(): number {
    this.#events += 1;
    return this.#events;
  }
}
