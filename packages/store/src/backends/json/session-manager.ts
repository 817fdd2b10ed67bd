/**
 * The seeds' first way to keep sessions: everything in memory, a session's whole file written by `save` and only then.
 * What was not saved is lost with the process; `JsonlSessions` keeps the same contract and loses nothing.
 *
 * `save` writes the session as it is at the call. A file that could not be read at the start is never written over: its
 * session goes on in memory, and each `save` of it says so.
 */

import type { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { nodeHost } from "../../host/node-host.ts";
import { isLive } from "../../format/fold.ts";
import { checkKey } from "../../format/key.ts";
import type { Message } from "../../format/message.ts";
import type { Damage } from "../../format/session-record.ts";
import { toMessage } from "../../format/surface.ts";
import { callback, checkOptions, checkValue, text } from "../../store/check-options.ts";
import { JsonlSessions } from "../../store/jsonl-sessions.ts";
import type { SessionStore } from "../../store/session-store.ts";
import { BackendStore } from "../../store/store.ts";
import { reportTo, warnOfDamage, warnOfError } from "../../store/warn.ts";
import { JsonSessions } from "./json-sessions.ts";
import { openSessionFiles, type LoadedSessions } from "./open-session-files.ts";

export interface SessionManagerOptions {
  /** Told of each write and read that failed. @default process.emitWarning */
  readonly onError?: (error: LonghandError) => void;
  /** Told of each file that cannot be read. @default process.emitWarning */
  readonly onDamage?: (damage: Damage) => void;
  /** The world to work in. @default the real one */
  readonly host?: Host;
}

export interface ManagedSession {
  readonly key: string;
  readonly messages: Message[];
  readonly summary: string;
  readonly created: string;
  readonly updated: string;
}

export class SessionManager implements SessionStore {
  readonly #sessions: JsonSessions;
  /** The contract over a store, whatever lies behind it; here only `save` means more. */
  readonly #contract: JsonlSessions;
  readonly #report: (error: unknown) => void;

  /** An empty directory means memory only. Loading begins at once; every method waits for it. */
  constructor(directory: string, options: SessionManagerOptions = {}) {
    checkValue("SessionManager", "directory", directory, text);
    checkOptions("SessionManager", options, { onError: callback, onDamage: callback, host: HOST });
    const { onError = warnOfError, onDamage = warnOfDamage, host = nodeHost } = options;
    this.#report = reportTo(onError);
    const isInMemory = directory === "";
    const loaded: Promise<LoadedSessions> = isInMemory
      ? Promise.resolve({ files: undefined, sessions: new Map() })
      : openSessionFiles(directory, host, {
          ...{ readOnly: false, ownFilesOnly: false },
          ...{ onDamage, onError: this.#report },
        });
    loaded.catch(this.#report);
    this.#sessions = new JsonSessions(isInMemory ? undefined : directory, host, loaded, "on-save");
    this.#contract = new JsonlSessions(new BackendStore(this.#sessions), { onError });
  }

  /** A copy: what is done to it does not change the session. Rejects where there is no session to give. */
  async getOrCreate(key: string): Promise<ManagedSession> {
    const session = await this.#sessions.begin(checkKey(key));
    const { info, state } = session;
    const messages: Message[] = [];
    for await (const block of session.entries({ from: 1, to: state.seq, reverse: false })) {
      for (const { seq, body } of block)
        if (body.op === "message" && isLive(state, seq)) messages.push(toMessage(body.json));
    }
    const { summary, created, updated } = info;
    return { key, messages, summary, created, updated };
  }

  async addMessage(key: string, role: Message["role"], content: string): Promise<void> {
    await this.#contract.addMessage(key, role, content);
  }

  async addFullMessage(key: string, message: Message): Promise<void> {
    await this.#contract.addFullMessage(key, message);
  }

  async getHistory(key: string): Promise<Message[]> {
    return await this.#contract.getHistory(key);
  }

  async getSummary(key: string): Promise<string> {
    return await this.#contract.getSummary(key);
  }

  async setSummary(key: string, summary: string): Promise<void> {
    await this.#contract.setSummary(key, summary);
  }

  async setHistory(key: string, messages: readonly Message[]): Promise<void> {
    await this.#contract.setHistory(key, messages);
  }

  async truncateHistory(key: string, keepLast: number): Promise<void> {
    await this.#contract.truncateHistory(key, keepLast);
  }

  /** Writes what there is, also when an earlier write has failed; then rejects with that first failure. */
  async save(key: string): Promise<void> {
    const [saved, earlier] = await Promise.allSettled([this.#sessions.save(key), this.#contract.save(key)]);
    if (earlier.status === "rejected") {
      if (saved.status === "rejected") this.#report(saved.reason);
      throw earlier.reason;
    }
    if (saved.status === "rejected") throw saved.reason;
  }

  async listSessions(): Promise<string[]> {
    return await this.#contract.listSessions();
  }

  /** Waits for what is under way. What was never saved is not saved now. */
  async close(): Promise<void> {
    await this.#contract.close();
  }
}

const HOST = [(value: unknown): boolean => typeof value === "object" && value !== null, "a host"] as const;
