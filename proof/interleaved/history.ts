/** What several processes asked of one store and what they were told, with an order of events that all of them share. */

import type { AttemptedWrite, FoundMessage } from "../oracle/judge-history.ts";

export interface TimedWrite extends AttemptedWrite {
  readonly store: StoreLife;
  readonly called: number;
  answer: AttemptedWrite["answer"];
  /** Infinity: never answered. */
  answered: number;
}

export interface Read {
  readonly key: string;
  readonly kind: "read" | "watch";
  readonly store: StoreLife;
  readonly called: number;
  readonly messages: FoundMessage[];
  isComplete: boolean;
}

/** One opening of the store, until it is closed or its process is killed. */
export interface StoreLife {
  ended: number;
}

export interface Fork {
  readonly key: string;
  readonly to: string;
  readonly at: number | undefined;
}

export class History {
  readonly writes: TimedWrite[] = [];
  readonly reads: Read[] = [];
  /** The acknowledged ones. */
  readonly forks: Fork[] = [];
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
