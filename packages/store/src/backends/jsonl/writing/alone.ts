/**
 * Being alone with a key: in this instance by its place in the line of the key's writes, among all instances by the lease.
 * Whoever is told of changes learns that there may be one when it is over.
 */

import type { Host } from "../../../host/host.ts";
import { Patience } from "../leases/patience.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionQueues } from "./session-queues.ts";
import type { StoreHealth } from "./store-health.ts";
import type { Tenure } from "./tenure.ts";
import type { Tenures, TenureUse } from "./tenures.ts";

export interface AloneSurroundings {
  readonly host: Host;
  readonly health: StoreHealth;
  readonly tenures: Tenures;
  readonly sessions: OpenSessions;
  queues(): SessionQueues;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
  /** The session may have changed. */
  tell(key: string): void;
}

export class Alone {
  readonly #around: AloneSurroundings;

  constructor(around: AloneSurroundings) {
    this.#around = around;
  }

  /** The lease, and the session's file opened, if there is one. */
  async enter(key: string): Promise<TenureUse> {
    const { tenures, sessions } = this.#around;
    const use = await tenures.use(key, this.patience(undefined, undefined));
    try {
      await sessions.open(use.tenure);
      return use;
    } catch (error) {
      await use.release();
      throw error;
    }
  }

  /** `isEnd`: closing waits for writes, but not for those who wait for a lock. */
  patience(wait: number | undefined, signal: AbortSignal | undefined, isEnd = () => false): Patience {
    const { host, health, lockWait } = this.#around;
    const check = (): void => {
      const stopped = health.whyStopped() ?? (isEnd() ? health.storeClosed() : undefined);
      if (stopped !== undefined) throw stopped;
    };
    return new Patience(host, { milliseconds: wait ?? lockWait, signal, check });
  }

  async with(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void> {
    await this.#around.queues().runAlone(key, async () => await this.#opened(key, task));
  }

  /** The same, but the session's file is not opened for it: it may be damaged. */
  async withUnopened(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void> {
    const { tenures } = this.#around;
    const use = async (): Promise<TenureUse> => await tenures.use(key, this.patience(undefined, undefined));
    await this.#around.queues().runAlone(key, async () => await this.#using(key, use, task));
  }

  /**
   * Both wait in the lines of their keys from now on. The leases are taken in the order of the keys, whichever is which:
   * two who fork to and fro must not wait for each other.
   */
  async withBoth(
    one: string,
    other: string,
    task: (one: Tenure, other: Tenure) => Promise<void>,
  ): Promise<void> {
    const [first, second] = one < other ? [one, other] : [other, one];
    await this.#around.queues().runAloneWithBoth(one, other, async () => {
      await this.#opened(first, async (firstTenure) => {
        await this.#opened(second, async (secondTenure) => {
          await (one === first ? task(firstTenure, secondTenure) : task(secondTenure, firstTenure));
        });
      });
    });
  }

  async #opened(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void> {
    await this.#using(key, async () => await this.enter(key), task);
  }

  async #using(
    key: string,
    enter: () => Promise<TenureUse>,
    task: (tenure: Tenure) => Promise<void>,
  ): Promise<void> {
    this.#around.health.check();
    const { tenure, release } = await enter();
    try {
      await task(tenure);
    } finally {
      await release();
      this.#around.tell(key);
    }
  }
}
