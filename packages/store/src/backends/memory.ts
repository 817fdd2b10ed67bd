/**
 * The reference backend: the whole contract and nothing else, in memory. Other backends are compared with it, so it
 * stays as plain as it can be.
 */

import { LonghandError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { nodeHost } from "../host/node-host.ts";
import { newId } from "../host/new-id.ts";
import { sessionExists } from "../contract/session-exists.ts";
import type {
  Backend,
  BackendLockOptions,
  BackendUpkeepOptions,
  OpenBackend,
  Operation,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
} from "../contract/backend.ts";
import { KeyedQueue } from "../store/keyed-queue.ts";
import { runDecision } from "../store/run-decision.ts";
import type { VerifyReport, Written } from "../contract/types.ts";
import { ChangeListeners, isAsSeen } from "../contract/change-listeners.ts";
import { checkFork } from "../contract/check-fork.ts";
import { LockLine } from "./lock-line.ts";
import { SessionInMemory, type SessionIdentity } from "./session-in-memory.ts";

export function memoryBackend(options: { readonly host?: Host } = {}): Backend {
  const host = options.host ?? nodeHost;
  return {
    name: "memory",
    capabilities: {
      durable: false,
      flatAppend: true,
      archive: true,
      fork: true,
      manyWriters: false,
      readOnly: false,
    },
    open: () => Promise.resolve(new MemoryBackend(host)),
  };
}

interface PutAwaySession {
  readonly session: SessionInMemory;
  status: "archived" | "trashed";
  /** When it got this status, in milliseconds. */
  since: number;
}

class MemoryBackend implements OpenBackend {
  readonly directory = undefined;
  readonly #host: Host;
  readonly #active = new Map<string, SessionInMemory>();
  #away: PutAwaySession[] = [];
  readonly #queue = new KeyedQueue();
  readonly #changes = new ChangeListeners();
  readonly #locks: LockLine;

  constructor(host: Host) {
    this.#host = host;
    this.#locks = new LockLine(host);
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#queue.run(key, async () => {
      const at = this.#now();
      const archived = this.#newestAway(key, "archived");
      const session =
        this.#active.get(key) ?? archived?.session ?? new SessionInMemory(this.#identity(key, at));
      const outcome = await runDecision(operation, session.state, session, at);
      if (outcome.kind === "answer") return { seq: outcome.seq };
      session.add(outcome.entries);
      this.#activate(session);
      return { seq: session.state.seq };
    });
  }

  snapshot(key: string): Promise<Snapshot | undefined> {
    return Promise.resolve(this.#snapshot(key));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the interface is for backends that wait for a disk
  async *snapshots(onCount?: (sessions: number) => void): AsyncIterable<Snapshot> {
    onCount?.(this.#active.size + this.#away.length);
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
        this.#away.push({ session, status: "archived", since: this.#host.now() });
        this.#active.delete(key);
      }),
    restore: async (key, id) =>
      await this.#alone(key, () => {
        if (this.#active.has(key)) throw sessionExists(key);
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
        const since = this.#host.now();
        if (session !== undefined) this.#away.push({ session, status: "trashed", since });
        this.#active.delete(key);
        for (const away of this.#away) {
          if (away.session.header.key === key && away.status === "archived") {
            Object.assign(away, { status: "trashed", since });
          }
        }
        if (forever) this.#away = this.#away.filter((away) => away.session.header.key !== key);
      }),
    purge: (before = Infinity, dryRun) => {
      const gone = this.#away.filter(({ status, since }) => status === "trashed" && since < before);
      if (!dryRun) this.#away = this.#away.filter((away) => !gone.includes(away));
      return Promise.resolve(gone.map(({ session }) => session.snapshot("trashed").info));
    },
  };

  /** Both keys get their place in line at the call, so that no two forks can wait for each other. */
  readonly fork = async (key: string, newKey: string, at: number | undefined): Promise<void> => {
    const atItsTurn = this.#queue.run(key, async () => await this.snapshot(key));
    await this.#queue.run(newKey, async () => {
      const parent = await atItsTurn;
      const isNewKeyTaken = this.#active.has(newKey);
      const last = checkFork({ key, seq: parent?.state.seq ?? 0, newKey, isNewKeyTaken, at });
      const child = new SessionInMemory(this.#identity(newKey, this.#now()));
      for await (const block of parent?.entries({ from: 1, to: last, reverse: false }) ?? [])
        child.add(block);
      this.#activate(child);
    });
  };

  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    return await this.#locks.take(key, options);
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    if (isAsSeen(this.#snapshot(key)?.info, seen)) await this.#changes.next(key, signal);
  }

  /** Nothing in memory is damaged, and nothing takes up room on a disk. */
  readonly upkeep: Upkeep = {
    verify: (options) => Promise.resolve(this.#count(options)),
    repair: (options) => Promise.resolve(this.#count(options)),
    reclaim: () => Promise.resolve({ bytesBefore: 0, bytesAfter: 0 }),
  };

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  #snapshot(key: string): Snapshot | undefined {
    const active = this.#active.get(key)?.snapshot("active");
    return active ?? this.#newestAway(key, "archived")?.session.snapshot("archived");
  }

  async #alone(key: string, change: () => void): Promise<void> {
    await this.#queue.run(key, async () => {
      await Promise.resolve();
      change();
      this.#changes.tell(key);
    });
  }

  #activate(session: SessionInMemory): void {
    const { key } = session.header;
    this.#active.set(key, session);
    this.#away = this.#away.filter((away) => away.session !== session);
    this.#changes.tell(key);
  }

  #newestAway(key: string, status: PutAwaySession["status"], id?: string): PutAwaySession | undefined {
    return this.#away
      .filter((away) => away.status === status && away.session.header.key === key)
      .filter(({ session }) => id === undefined || session.header.id === id)
      .sort((a, b) => (lastWritten(a) < lastWritten(b) ? 1 : -1))[0];
  }

  #count({ keys, onProgress }: BackendUpkeepOptions): VerifyReport {
    const all = [...this.#active.values(), ...this.#away.map(({ session }) => session)];
    const counted = all.filter(({ header }) => keys?.has(header.key) ?? true);
    const records = counted.reduce((sum, { state }) => sum + state.seq, 0);
    onProgress(counted.length, counted.length);
    return { sessions: counted.length, records, damage: [] };
  }

  #now(): string {
    return new Date(this.#host.now()).toISOString();
  }

  #identity(key: string, at: string): SessionIdentity {
    return { key, id: newId(this.#host), at };
  }
}

function lastWritten({ session: { header, state } }: PutAwaySession): string {
  return `${state.updated ?? header.at} ${header.id}`;
}
