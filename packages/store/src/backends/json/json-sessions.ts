/**
 * Sessions held in memory, each with a JSON file: the part that the json backend and the SessionManager share. They
 * differ in when a file is written: with each write, or when asked to save.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../../record/session-id.ts";
import type { OpenBackend, Operation, Snapshot } from "../../store/backend.ts";
import { KeyedQueue } from "../../store/keyed-queue.ts";
import { runDecision } from "../../store/run-decision.ts";
import type { Written } from "../../store/types.ts";
import { JsonSession } from "./json-session.ts";
import type { LoadedSessions } from "./open-session-files.ts";

export type WhenWritten = "never" | "with-each-write" | "on-save";

export class JsonSessions implements OpenBackend {
  readonly directory: string | undefined;
  readonly putAway = undefined;
  readonly #host: Host;
  readonly #loaded: Promise<LoadedSessions>;
  readonly #whenWritten: WhenWritten;
  readonly #queue = new KeyedQueue();
  /** Apart from the other: a session can be written to while an earlier state of it goes to the disk. */
  readonly #saves = new KeyedQueue();

  constructor(
    directory: string | undefined,
    host: Host,
    loaded: Promise<LoadedSessions>,
    whenWritten: WhenWritten,
  ) {
    this.directory = directory;
    this.#host = host;
    this.#loaded = loaded;
    this.#whenWritten = whenWritten;
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#queue.run(key, async () => {
      if (this.#whenWritten === "never") throw readOnly(this.directory);
      const { files, sessions } = await this.#loaded;
      const isWritten = this.#whenWritten === "with-each-write";
      if (isWritten) files?.check(key);
      const at = this.#now();
      const session = sessions.get(key) ?? this.#begin(key, at);
      const outcome = await runDecision(operation, session.memory.state, session.memory, at);
      if (outcome.kind === "answer") return { seq: outcome.seq };
      const added = session.records(outcome.entries);
      const failure = isWritten ? await files?.write(key, session.text(added)) : undefined;
      // Also after a failure: the file is in its place, and what is in memory is what is in the file.
      session.add(added);
      sessions.set(key, session);
      if (failure !== undefined) throw failure;
      return { seq: session.memory.state.seq };
    });
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const { files, sessions } = await this.#loaded;
    // Sessions that are saved when asked go on in memory: it is the save that will say so.
    if (this.#whenWritten !== "on-save") files?.check(key);
    return sessions.get(key)?.memory.snapshot("active", files?.bytes(key));
  }

  async *snapshots(): AsyncIterable<Snapshot> {
    const { files, sessions } = await this.#loaded;
    for (const [key, { memory }] of sessions) yield memory.snapshot("active", files?.bytes(key));
  }

  /** The session of this key; if there is none, one without a record. */
  async begin(key: string): Promise<Snapshot> {
    return await this.#queue.run(key, async () => {
      const { files, sessions } = await this.#loaded;
      const session = sessions.get(key) ?? this.#begin(key, this.#now());
      sessions.set(key, session);
      return session.memory.snapshot("active", files?.bytes(key));
    });
  }

  /** Writes the session as it is after all writes called before; those called later go on meanwhile. */
  async save(key: string): Promise<void> {
    const state = this.#queue.run(key, async () => {
      const { files, sessions } = await this.#loaded;
      const text = files === undefined ? undefined : sessions.get(key)?.text();
      return { files, text };
    });
    // Awaited below, but perhaps only after an earlier save: until then its failure is not an unhandled one.
    state.catch(() => undefined);
    await this.#saves.run(key, async () => {
      const { files, text } = await state;
      const failure = text === undefined ? undefined : await files?.write(key, text);
      if (failure !== undefined) throw failure;
    });
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    await this.#saves.idle();
  }

  #begin(key: string, at: string): JsonSession {
    const id = makeId(this.#host.now(), this.#host.randomBytes(RANDOM_BYTES_OF_AN_ID));
    return new JsonSession({ header: { key, id, at }, records: [], others: {} });
  }

  #now(): string {
    return new Date(this.#host.now()).toISOString();
  }
}

function readOnly(directory: string | undefined): LonghandError {
  return new LonghandError(
    "STORE_READ_ONLY",
    "the store was opened with readOnly; open it without to write",
    { directory },
  );
}
