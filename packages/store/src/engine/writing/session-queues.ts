/**
 * What is asked of each key, in the order of the calls; different keys go on side by side. Writes that wait together are
 * handed over together (session-writer.ts). A task of another kind is alone with its key: in this instance by its place in
 * the queue, among all instances by the lease.
 */

import type { Operation } from "../../contract/backend.ts";
import type { Written } from "../../contract/types.ts";
import type { SessionChanges } from "../reading/session-changes.ts";
import type { HeldSession } from "./held-session.ts";
import type { HeldSessions } from "./held-sessions.ts";
import { Rendezvous } from "./rendezvous.ts";
import type { SessionWriter, WaitingWrite } from "./session-writer.ts";
import type { StoreHealth } from "./store-health.ts";

export interface SessionQueuesDeps {
  readonly health: StoreHealth;
  readonly heldSessions: HeldSessions;
  readonly writer: SessionWriter;
  readonly changes: SessionChanges;
}

interface WaitingTask {
  readonly task: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type Waiting = WaitingWrite | WaitingTask;

export type SessionTask = (heldSession: HeldSession) => Promise<void>;

/** This many writes at most are decided before they are committed: more would only be held in memory. */
const GROUP_SIZE = 1000;

export class SessionQueues {
  readonly #deps: SessionQueuesDeps;
  /** Of the keys that something is asked of. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(deps: SessionQueuesDeps) {
    this.#deps = deps;
  }

  write(key: string, operation: Operation): Promise<Written> {
    return new Promise((resolve, reject) => this.#add(key, { operation, resolve, reject }));
  }

  /** Runs the task after everything that was asked of the key before, and before everything that is asked later. */
  async withSession(key: string, task: SessionTask): Promise<void> {
    await this.#runAlone(key, async () => await this.#opened(key, task));
  }

  /** The same, but the session's file is not opened for it: it may be damaged. */
  async withUnopened(key: string, task: SessionTask): Promise<void> {
    await this.#runAlone(key, async () => await this.#using(key, await this.#hold(key), task));
  }

  /**
   * The task has its place in the queues of both keys from now on. The leases are taken in the order of the keys, whichever
   * is which: two that fork to and fro must not wait for each other.
   */
  async withSessions(
    one: string,
    other: string,
    task: (one: HeldSession, other: HeldSession) => Promise<void>,
  ): Promise<void> {
    const [first, second] = one < other ? [one, other] : [other, one];
    const rendezvous = new Rendezvous();
    const waiting = this.#runAlone(other, async () => await rendezvous.wait());
    const work = async (): Promise<void> =>
      await this.#opened(first, async (heldFirst) => {
        await this.#opened(second, async (heldSecond) => {
          await (one === first ? task(heldFirst, heldSecond) : task(heldSecond, heldFirst));
        });
      });
    await this.#runAlone(one, async () => await rendezvous.hold(work));
    await waiting;
  }

  async #runAlone(key: string, task: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => this.#add(key, { task, resolve, reject }));
  }

  async #opened(key: string, task: SessionTask): Promise<void> {
    this.#deps.health.check();
    await this.#using(key, await this.#deps.heldSessions.enter(key), task);
  }

  async #hold(key: string): Promise<HeldSession> {
    this.#deps.health.check();
    return await this.#deps.heldSessions.use(key);
  }

  async #using(key: string, heldSession: HeldSession, task: SessionTask): Promise<void> {
    try {
      await task(heldSession);
    } finally {
      await this.#deps.heldSessions.release(heldSession);
      this.#deps.changes.tell(key);
    }
  }

  #add(key: string, waiting: Waiting): void {
    const queue = this.#queues.get(key);
    if (queue !== undefined) {
      queue.push(waiting);
      return;
    }
    const begun = [waiting];
    this.#queues.set(key, begun);
    void this.#drain(key, begun);
  }

  /** Never rejects. */
  async #drain(key: string, queue: Waiting[]): Promise<void> {
    const { health, writer } = this.#deps;
    health.beginWork();
    // A tick, so that calls made together are decided together.
    await Promise.resolve();
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      if ("task" in first) {
        queue.shift();
        await first.task().then(first.resolve, first.reject);
        continue;
      }
      const group = takeGroup(queue);
      try {
        await writer.perform(key, group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#queues.delete(key);
    health.endWork();
  }
}

/** The writes that come first: those that need only the state, or one that must look into the log. */
function takeGroup(queue: Waiting[]): WaitingWrite[] {
  const group: WaitingWrite[] = [];
  for (const next of queue) {
    if ("task" in next || group.length >= GROUP_SIZE) break;
    if (next.operation.reads && group.length > 0) break;
    group.push(next);
    if (next.operation.reads) break;
  }
  queue.splice(0, group.length);
  return group;
}
