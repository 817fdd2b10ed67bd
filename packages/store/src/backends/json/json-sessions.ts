/**
 * Sessions held in memory, each with a JSON file: the part that the json backend and the SessionManager share. They
 * differ in when a file is written: with each write, or when asked to save.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { newId } from "../../host/new-id.ts";
import type { Entry } from "../../format/entry.ts";
import type {
  BackendLockOptions,
  BackendReclaimOptions,
  BackendUpkeepOptions,
  OpenBackend,
  Operation,
  SeenSession,
  Snapshot,
  Upkeep,
} from "../../contract/backend.ts";
import { KeyedQueue } from "../../store/keyed-queue.ts";
import { runDecision } from "../../store/run-decision.ts";
import type { Reclaimed, VerifyReport, Written } from "../../contract/types.ts";
import { ChangeListeners, isAsSeen } from "../../contract/change-listeners.ts";
import { checkFork } from "../../contract/check-fork.ts";
import { LockLine } from "../lock-line.ts";
import { JsonSession } from "./json-session.ts";
import type { LoadedSessions } from "./open-session-files.ts";
import { verifyFiles } from "./verify-files.ts";

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
  readonly #changes = new ChangeListeners();
  readonly #locks: LockLine;

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
    this.#locks = new LockLine(host);
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#queue.run(key, async () => {
      const { sessions } = await this.#loadedFor(key);
      const at = this.#now();
      const session = sessions.get(key) ?? this.#begin(key, at);
      const outcome = await runDecision(operation, session.memory.state, session.memory, at);
      if (outcome.kind === "answer") return { seq: outcome.seq };
      await this.#add(key, session, outcome.entries);
      return { seq: session.memory.state.seq };
    });
  }

  /** Both keys get their place in line at the call, so that no two forks can wait for each other. */
  readonly fork = async (key: string, newKey: string, at: number | undefined): Promise<void> => {
    const atItsTurn = this.#queue.run(key, async () => await this.snapshot(key));
    // Awaited below, but perhaps only after other writes: until then its failure is not an unhandled one.
    atItsTurn.catch(() => undefined);
    await this.#queue.run(newKey, async () => {
      const { sessions } = await this.#loadedFor(newKey);
      const parent = await atItsTurn;
      const isNewKeyTaken = sessions.has(newKey);
      const last = checkFork({ key, seq: parent?.state.seq ?? 0, newKey, isNewKeyTaken, at });
      const entries: Entry[] = [];
      for await (const block of parent?.entries({ from: 1, to: last, reverse: false }) ?? [])
        entries.push(...block);
      await this.#add(newKey, this.#begin(newKey, this.#now()), entries);
    });
  };

  /** Only this store's own locks wait for each other: nothing can keep other programs from the files. */
  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    this.#checkMayWrite();
    return await this.#locks.take(key, options);
  }

  /** The files are read once, at the opening: what changes a session afterwards comes through here. */
  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    const now = (await this.#loaded).sessions.get(key)?.memory.snapshot("active").info;
    if (isAsSeen(now, seen)) await this.#changes.next(key, signal);
  }

  /** A file that cannot be read is left as it is: mending it is for somebody who knows what was in it. */
  readonly upkeep: Upkeep = {
    verify: async (options) => await this.#verify(options),
    repair: async (options) => {
      this.#checkMayWrite();
      return await this.#verify(options);
    },
    reclaim: async (options) => await this.#reclaim(options),
  };

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const { files, sessions } = await this.#loaded;
    // Sessions that are saved when asked go on in memory: it is the save that will say so.
    if (this.#whenWritten !== "on-save") files?.check(key);
    return sessions.get(key)?.memory.snapshot("active", files?.bytes(key));
  }

  async *snapshots(onCount?: (sessions: number) => void): AsyncIterable<Snapshot> {
    const { files, sessions } = await this.#loaded;
    onCount?.(sessions.size);
    for (const [key, { memory }] of sessions) yield memory.snapshot("active", files?.bytes(key));
  }

  /** The session of this key; if there is none, one without a record. */
  async begin(key: string): Promise<Snapshot> {
    return await this.#queue.run(key, async () => {
      const { files, sessions } = await this.#loaded;
      const session = sessions.get(key) ?? this.#begin(key, this.#now());
      sessions.set(key, session);
      this.#changes.tell(key);
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

  /** For a write to this key: rejects if it cannot be. */
  async #loadedFor(key: string): Promise<LoadedSessions> {
    this.#checkMayWrite();
    const loaded = await this.#loaded;
    if (this.#whenWritten === "with-each-write") loaded.files?.check(key);
    return loaded;
  }

  async #add(key: string, session: JsonSession, entries: readonly Entry[]): Promise<void> {
    const { files, sessions } = await this.#loaded;
    const added = session.records(entries);
    const isWritten = this.#whenWritten === "with-each-write";
    const failure = isWritten ? await files?.write(key, session.text(added)) : undefined;
    // Also after a failure: the file is in its place, and what is in memory is what is in the file.
    session.add(added);
    sessions.set(key, session);
    this.#changes.tell(key);
    if (failure !== undefined) throw failure;
  }

  async #verify(options: BackendUpkeepOptions): Promise<VerifyReport> {
    const { files, sessions } = await this.#loaded;
    if (files !== undefined) return await verifyFiles(this.#host.files, files, options);
    const counted = [...sessions].filter(([key]) => options.keys?.has(key) ?? true);
    const records = counted.reduce((sum, [, { memory }]) => sum + memory.state.seq, 0);
    options.onProgress(counted.length, counted.length);
    return { sessions: counted.length, records, damage: [] };
  }

  /** A file is written whole each time: there is nothing to gain. */
  async #reclaim({ keys, dryRun, onProgress }: BackendReclaimOptions): Promise<Reclaimed> {
    if (!dryRun) this.#checkMayWrite();
    const { files, sessions } = await this.#loaded;
    const measured = [...sessions.keys()].filter((key) => keys?.has(key) ?? true);
    const bytes = measured.reduce((sum, key) => sum + (files?.bytes(key) ?? 0), 0);
    onProgress(measured.length, measured.length);
    return { bytesBefore: bytes, bytesAfter: bytes };
  }

  #checkMayWrite(): void {
    if (this.#whenWritten === "never") throw readOnly(this.directory);
  }

  #begin(key: string, at: string): JsonSession {
    const id = newId(this.#host);
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
