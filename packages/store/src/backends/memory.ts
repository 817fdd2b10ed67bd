/**
 * The reference backend: the whole contract and nothing else, in memory. Other backends are compared with it, so it
 * stays as plain as it can be.
 */

import { LonghandError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { nodeHost } from "../host/node-host.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../record/session-id.ts";
import type { Backend, OpenBackend, Operation, PutAway, Snapshot } from "../store/backend.ts";
import { KeyedQueue } from "../store/keyed-queue.ts";
import { runDecision } from "../store/run-decision.ts";
import type { Written } from "../store/types.ts";
import { SessionInMemory } from "./session-in-memory.ts";

export function memoryBackend(options: { readonly host?: Host } = {}): Backend {
  const host = options.host ?? nodeHost;
  return {
    name: "memory",
    capabilities: { durable: false, flatAppend: true, archive: true, readOnly: false },
    open: () => Promise.resolve(new MemoryBackend(host)),
  };
}

interface PutAwaySession {
  readonly session: SessionInMemory;
  status: "archived" | "trashed";
}

class MemoryBackend implements OpenBackend {
  readonly directory = undefined;
  readonly #host: Host;
  readonly #active = new Map<string, SessionInMemory>();
  #away: PutAwaySession[] = [];
  readonly #queue = new KeyedQueue();

  constructor(host: Host) {
    this.#host = host;
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#queue.run(key, async () => {
      const at = new Date(this.#host.now()).toISOString();
      const archived = this.#newestAway(key, "archived");
      const session = this.#active.get(key) ?? archived?.session ?? this.#begin(key, at);
      const outcome = await runDecision(operation, session.state, session, at);
      if (outcome.kind === "answer") return { seq: outcome.seq };
      session.add(outcome.entries);
      this.#activate(session);
      return { seq: session.state.seq };
    });
  }

  snapshot(key: string): Promise<Snapshot | undefined> {
    const active = this.#active.get(key)?.snapshot("active");
    return Promise.resolve(active ?? this.#newestAway(key, "archived")?.session.snapshot("archived"));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the interface is for backends that wait for a disk
  async *snapshots(): AsyncIterable<Snapshot> {
    for (const session of this.#active.values()) yield session.snapshot("active");
    for (const { session, status } of this.#away) yield session.snapshot(status);
  }

  readonly putAway: PutAway = {
    archive: async (key) =>
      await this.#alone(key, () => {
        const session = this.#active.get(key);
        if (session === undefined)
          throw new LonghandError(
            "SESSION_NOT_FOUND",
            `there is no session ${JSON.stringify(key)} to archive`,
            { key },
          );
        this.#away.push({ session, status: "archived" });
        this.#active.delete(key);
      }),
    restore: async (key, id) =>
      await this.#alone(key, () => {
        if (this.#active.has(key))
          throw new LonghandError(
            "SESSION_EXISTS",
            `${JSON.stringify(key)} has an active session; archive or delete it first`,
            { key },
          );
        const found = this.#newestAway(key, "archived", id) ?? this.#newestAway(key, "trashed", id);
        if (found === undefined)
          throw new LonghandError(
            "SESSION_NOT_FOUND",
            `there is no session ${JSON.stringify(key)} to restore`,
            { key, id },
          );
        this.#activate(found.session);
      }),
    delete: async (key, forever) =>
      await this.#alone(key, () => {
        const session = this.#active.get(key);
        if (session !== undefined) this.#away.push({ session, status: "trashed" });
        this.#active.delete(key);
        for (const away of this.#away) if (away.session.header.key === key) away.status = "trashed";
        if (forever) this.#away = this.#away.filter((away) => away.session.header.key !== key);
      }),
  };

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  async #alone(key: string, change: () => void): Promise<void> {
    await this.#queue.run(key, async () => {
      await Promise.resolve();
      change();
    });
  }

  #activate(session: SessionInMemory): void {
    this.#active.set(session.header.key, session);
    this.#away = this.#away.filter((away) => away.session !== session);
  }

  #newestAway(key: string, status: PutAwaySession["status"], id?: string): PutAwaySession | undefined {
    return this.#away
      .filter((away) => away.status === status && away.session.header.key === key)
      .filter(({ session }) => id === undefined || session.header.id === id)
      .sort((a, b) => (lastWritten(a) < lastWritten(b) ? 1 : -1))[0];
  }

  #begin(key: string, at: string): SessionInMemory {
    const id = makeId(this.#host.now(), this.#host.randomBytes(RANDOM_BYTES_OF_AN_ID));
    return new SessionInMemory({ key, id, at });
  }
}

function lastWritten({ session: { header, state } }: PutAwaySession): string {
  return `${state.updated ?? header.at} ${header.id}`;
}
