/** The locks of this store on a key, in the order in which they were asked for: only one of them holds at a time. */

import type { Host } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";
import type { Deadline } from "./deadline.ts";
import { sessionLocked } from "./session-locked.ts";

interface Place {
  readonly turn: Promise<void>;
  begin(): void;
}

export class OwnLocks {
  readonly #host: Host;
  readonly #self: InstanceDescription;
  /** The first of a line has the lock. */
  readonly #lines = new Map<string, Place[]>();

  constructor(host: Host, self: InstanceDescription) {
    this.#host = host;
    this.#self = self;
  }

  /** Resolves with what gives the lock up, and what `use` has taken for it; calling that again does nothing more. */
  async hold(
    key: string,
    deadline: Deadline,
    use: () => Promise<{ release(): Promise<void> }>,
  ): Promise<() => Promise<void>> {
    const leaveLine = await this.#take(key, deadline);
    try {
      const used = await use();
      let isHeld = true;
      return async () => {
        if (!isHeld) return;
        isHeld = false;
        leaveLine();
        await used.release();
      };
    } catch (error) {
      leaveLine();
      throw error;
    }
  }

  /** Resolves with what gives the place up. */
  async #take(key: string, deadline: Deadline): Promise<() => void> {
    deadline.check();
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    const place = makePlace();
    line.push(place);
    const leave = (): void => {
      line.splice(line.indexOf(place), 1);
      line[0]?.begin();
      if (line.length === 0) this.#lines.delete(key);
    };
    try {
      while (line[0] !== place) {
        if (deadline.isOut) {
          const blocker = { what: "this store", owner: this.#self } as const;
          throw sessionLocked(this.#host, key, deadline.milliseconds, blocker);
        }
        await Promise.race([place.turn, deadline.pause()]);
        deadline.check();
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

function makePlace(): Place {
  let begin = (): void => undefined;
  const turn = new Promise<void>((resolve) => (begin = resolve));
  return { turn, begin };
}
