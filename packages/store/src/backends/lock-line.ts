/**
 * Those who want a key for themselves, in the order in which they asked. For locks inside one store: who writes through
 * another one, or in another process, does not stand in this line.
 */

import { LonghandError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { BackendLockOptions } from "../contract/backend.ts";

const USUAL_PATIENCE = 10_000;
/** Longest wait in one piece: so long may a timer be left running when the turn comes first. */
const PIECE = 20;

interface Place {
  /** When its turn came. */
  since: string | undefined;
  readonly turn: Promise<void>;
  readonly begin: () => void;
}

export class LockLine {
  readonly #host: Host;
  /** The first of a line has the lock. */
  readonly #lines = new Map<string, Place[]>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Resolves with what gives the lock up; calling that again does nothing more. */
  async take(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    options.signal?.throwIfAborted();
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    const place = makePlace();
    line.push(place);
    if (line[0] === place) this.#begin(place);
    try {
      await this.#untilTurn(key, place, options);
    } catch (error) {
      this.#leave(key, line, place);
      throw error;
    }
    return () => {
      this.#leave(key, line, place);
      return Promise.resolve();
    };
  }

  #begin(place: Place): void {
    place.since = new Date(this.#host.now()).toISOString();
    place.begin();
  }

  #leave(key: string, line: Place[], place: Place): void {
    const index = line.indexOf(place);
    if (index === -1) return;
    line.splice(index, 1);
    const [first] = line;
    if (first === undefined) this.#lines.delete(key);
    else if (index === 0) this.#begin(first);
  }

  /** Counts the time it has waited instead of looking at the clock, which may jump. */
  async #untilTurn(
    key: string,
    place: Place,
    { wait = USUAL_PATIENCE, signal }: BackendLockOptions,
  ): Promise<void> {
    const aborted = whenAborted(signal);
    try {
      for (let left = wait; place.since === undefined; left -= PIECE) {
        if (left <= 0) throw this.#locked(key, wait);
        await Promise.race([place.turn, aborted.promise, this.#host.wait(Math.min(left, PIECE))]);
        // Also if the turn came at the same moment: who has given up must not be left with a lock.
        signal?.throwIfAborted();
      }
    } finally {
      aborted.stopListening();
    }
  }

  #locked(key: string, wait: number): LonghandError {
    const since = this.#lines.get(key)?.[0]?.since;
    const { pid, host } = this.#host.processes.self;
    return new LonghandError(
      "SESSION_LOCKED",
      `the session ${JSON.stringify(key)} has been locked since ${since} by another lock() of this store (process ${pid} on ${host}), and ${wait} ms have passed; dispose of that lock first, or wait longer`,
      { key, pid, host, since, liveness: "alive" },
    );
  }
}

function makePlace(): Place {
  let begin = (): void => undefined;
  const turn = new Promise<void>((resolve) => (begin = resolve));
  return { since: undefined, turn, begin };
}

function whenAborted(signal: AbortSignal | undefined): { promise: Promise<void>; stopListening: () => void } {
  let wake = (): void => undefined;
  const promise = new Promise<void>((resolve) => (wake = resolve));
  signal?.addEventListener("abort", wake);
  return { promise, stopListening: () => signal?.removeEventListener("abort", wake) };
}
