/**
 * The reference backend: the whole contract and nothing else, in memory. Other backends are compared with it, so it
 * stays as plain as it can be.
 */

import type { Host } from "../host/host.ts";
import { nodeHost } from "../host/node-host.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../record/session-id.ts";
import type { SessionInfo } from "../record/session-record.ts";
import type { Backend, OpenBackend, Operation, Snapshot } from "../store/backend.ts";
import { KeyedQueue } from "../store/keyed-queue.ts";
import { runDecision } from "../store/run-decision.ts";
import type { Written } from "../store/types.ts";
import { SessionInMemory } from "./session-in-memory.ts";

export function memoryBackend(options: { readonly host?: Host } = {}): Backend {
  const host = options.host ?? nodeHost;
  return {
    name: "memory",
    capabilities: { durable: false, flatAppend: true, readOnly: false },
    open: () => Promise.resolve(new MemoryBackend(host)),
  };
}

class MemoryBackend implements OpenBackend {
  readonly directory = undefined;
  readonly #host: Host;
  readonly #sessions = new Map<string, SessionInMemory>();
  readonly #queue = new KeyedQueue();

  constructor(host: Host) {
    this.#host = host;
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#queue.run(key, async () => {
      const at = new Date(this.#host.now()).toISOString();
      const session = this.#sessions.get(key) ?? this.#begin(key, at);
      const outcome = await runDecision(operation, session.state, session, at);
      if (outcome.kind === "answer") return { seq: outcome.seq };
      session.add(outcome.entries);
      this.#sessions.set(key, session);
      return { seq: session.state.seq };
    });
  }

  snapshot(key: string): Promise<Snapshot | undefined> {
    return Promise.resolve(this.#sessions.get(key)?.snapshot(0));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the interface is for backends that wait for a disk
  async *sessions(): AsyncIterable<SessionInfo> {
    for (const session of this.#sessions.values()) yield session.snapshot(0).info;
  }

  async close(): Promise<void> {
    await this.#queue.idle();
  }

  #begin(key: string, at: string): SessionInMemory {
    const id = makeId(this.#host.now(), this.#host.randomBytes(RANDOM_BYTES_OF_AN_ID));
    return new SessionInMemory({ key, id, at });
  }
}
