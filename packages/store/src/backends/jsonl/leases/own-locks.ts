/** The locks of this store on a key, in the order in which they were asked for: only one of them holds at a time. */

import type { Host } from "../../../host/host.ts";
import type { InstanceDescription } from "../../../journal/instance-description.ts";
import type { Patience } from "./patience.ts";
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
    patience: Patience,
    use: () => Promise<{ release(): Promise<void> }>,
  ): Promise<() => Promise<void>> {
    const leaveLine = await this.#take(key, patience);
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
  async #take(key: string, patience: Patience): Promise<() => void> {
    patience.check();
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
        if (patience.isOut) {
          const blocker = { what: "this store", owner: this.#self } as const;
          throw sessionLocked(this.#host, key, patience.milliseconds, blocker);
        }
        await Promise.race([place.turn, patience.pause()]);
        patience.check();
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
