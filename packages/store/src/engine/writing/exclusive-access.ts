/**
 * Being alone with a key: in this instance by its place in the line of the key's writes, among all instances by the lease.
 * Whoever is told of changes learns that there may be one when it is over.
 */

import type { Host } from "../../host/host.ts";
import { Deadline } from "../../lease/deadline.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionQueues } from "./session-queues.ts";
import type { StoreHealth } from "./store-health.ts";
import type { HeldSession } from "./held-session.ts";
import type { HeldSessions, HeldSessionUse } from "./held-sessions.ts";

export interface ExclusiveAccessDeps {
  readonly host: Host;
  readonly health: StoreHealth;
  readonly heldSessions: HeldSessions;
  readonly sessions: OpenSessions;
  queues(): SessionQueues;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
  /** The session may have changed. */
  tell(key: string): void;
}

export class ExclusiveAccess {
  readonly #deps: ExclusiveAccessDeps;

  constructor(deps: ExclusiveAccessDeps) {
    this.#deps = deps;
  }

  /** The lease, and the session's file opened, if there is one. */
  async enter(key: string): Promise<HeldSessionUse> {
    const { heldSessions, sessions } = this.#deps;
    const use =
      heldSessions.useIfHeld(key) ?? (await heldSessions.use(key, this.deadline(undefined, undefined)));
    try {
      await sessions.open(use.heldSession);
      return use;
    } catch (error) {
      await use.release();
      throw error;
    }
  }

  /** `isEnd`: closing waits for writes, but not for those who wait for a lock. */
  deadline(wait: number | undefined, signal: AbortSignal | undefined, isEnd = () => false): Deadline {
    const { host, health, lockWait } = this.#deps;
    const check = (): void => {
      const stopped = health.whyStopped() ?? (isEnd() ? health.storeClosed() : undefined);
      if (stopped !== undefined) throw stopped;
    };
    return new Deadline(host, { milliseconds: wait ?? lockWait, signal, check });
  }

  async with(key: string, task: (heldSession: HeldSession) => Promise<void>): Promise<void> {
    await this.#deps.queues().runAlone(key, async () => await this.#opened(key, task));
  }

  /** The same, but the session's file is not opened for it: it may be damaged. */
  async withUnopened(key: string, task: (heldSession: HeldSession) => Promise<void>): Promise<void> {
    const { heldSessions } = this.#deps;
    const use = async (): Promise<HeldSessionUse> =>
      await heldSessions.use(key, this.deadline(undefined, undefined));
    await this.#deps.queues().runAlone(key, async () => await this.#using(key, use, task));
  }

  /**
   * Both wait in the lines of their keys from now on. The leases are taken in the order of the keys, whichever is which:
   * two who fork to and fro must not wait for each other.
   */
  async withBoth(
    one: string,
    other: string,
    task: (one: HeldSession, other: HeldSession) => Promise<void>,
  ): Promise<void> {
    const [first, second] = one < other ? [one, other] : [other, one];
    await this.#deps.queues().runAloneWithBoth(one, other, async () => {
      await this.#opened(first, async (firstHeldSession) => {
        await this.#opened(second, async (secondHeldSession) => {
          await (one === first
            ? task(firstHeldSession, secondHeldSession)
            : task(secondHeldSession, firstHeldSession));
        });
      });
    });
  }

  async #opened(key: string, task: (heldSession: HeldSession) => Promise<void>): Promise<void> {
    await this.#using(key, async () => await this.enter(key), task);
  }

  async #using(
    key: string,
    enter: () => Promise<HeldSessionUse>,
    task: (heldSession: HeldSession) => Promise<void>,
  ): Promise<void> {
    this.#deps.health.check();
    const { heldSession, release } = await enter();
    try {
      await task(heldSession);
    } finally {
      await release();
      this.#deps.tell(key);
    }
  }
}
