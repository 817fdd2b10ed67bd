/** The store over any backend: sessions by key, listing, searching, upkeep, closing. */

import { arrange } from "../index/list.ts";
import { matchMessage, parseQuery } from "../index/search.ts";
import { SearchFilter } from "../index/search-filter.ts";
import { isLonghandError, LonghandError } from "../errors.ts";
import { checkKey } from "../format/key.ts";
import type { Message } from "../format/message.ts";
import type { SessionInfo } from "../format/session-record.ts";
import { toMessage } from "../format/surface.ts";
import type { OpenBackend, Snapshot } from "../contract/backend.ts";
import {
  callback,
  checkOptions,
  checkValue,
  count,
  flag,
  oneOf,
  text,
  texts,
  time,
} from "./check-options.ts";
import { lackOf } from "./lack-of.ts";
import { BackendSession } from "./session.ts";
import type {
  ListOptions,
  OnProgress,
  PurgeOptions,
  Reclaimed,
  ReclaimOptions,
  SearchHit,
  SearchOptions,
  Session,
  Store,
  UpkeepOptions,
  VerifyReport,
} from "../contract/types.ts";
import { checkReclaim, checkUpkeep } from "./upkeep-options.ts";
import { Waiting } from "./waiting.ts";

const DEFAULT_SEARCH_LIMIT = 20;

export class BackendStore<M extends Message> implements Store<M> {
  readonly directory: string | undefined;
  readonly #backend: OpenBackend;
  readonly #waiting = new Waiting();
  #closing: Promise<void> | undefined;

  constructor(backend: OpenBackend) {
    this.directory = backend.directory;
    this.#backend = backend;
  }

  session(key: string): Session<M> {
    return new BackendSession<M>(checkKey(key), { backend: () => this.#open(), waiting: this.#waiting });
  }

  async *list(options?: ListOptions): AsyncIterable<SessionInfo> {
    checkOptions("list", options, {
      status: oneOf("active", "archived", "trashed", "any"),
      order: oneOf("updated", "created", "key"),
      prefix: text,
      limit: count,
      after: text,
      onProgress: callback,
    });
    const { status = "active", order = "updated", prefix = "", limit = Infinity, after } = options ?? {};
    const infos = await this.#infos(options?.onProgress);
    // Not `yield*`, which makes three more promises for each of them.
    for (const info of arrange(infos, { status, order, prefix, limit, after })) yield info;
  }

  async #infos(onProgress: OnProgress = () => undefined): Promise<readonly SessionInfo[]> {
    const known = await this.#open().infos?.(onProgress);
    if (known !== undefined) return known;
    const sessions: SessionInfo[] = [];
    for await (const { snapshot } of this.#snapshots(onProgress)) sessions.push(snapshot.info);
    return sessions;
  }

  async search(query: string, options?: SearchOptions): Promise<readonly SearchHit<M>[]> {
    checkValue("search", "query", query, text);
    checkOptions("search", options, { limit: count, keys: texts, onProgress: callback });
    const words = parseQuery(query);
    const { limit = DEFAULT_SEARCH_LIMIT, keys } = options ?? {};
    if (words.length === 0 || limit === 0) return [];
    const hits: SearchHit<M>[] = [];
    const wanted = keys === undefined ? undefined : await this.#ownKeys(keys.map(checkKey));
    const filter = new SearchFilter(words);
    for await (const { snapshot, onPart } of this.#snapshots(options?.onProgress, filter)) {
      const { key, status } = snapshot.info;
      if (status === "trashed" || wanted?.has(key) === false) continue;
      for await (const hit of hitsIn<M>(snapshot, words, filter, onPart)) {
        hits.push(hit);
        // Only the best are wanted; do not hold a whole store's worth of matches.
        if (hits.length >= limit * 4 + 1000) keepBest(hits, limit);
      }
    }
    return keepBest(hits, limit);
  }

  /** A session may be reached by another key than the one it goes by. */
  async #ownKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const own = new Set(keys);
    for (const key of keys) {
      try {
        const snapshot = await this.#open().snapshot(key);
        if (snapshot !== undefined) own.add(snapshot.info.key);
      } catch (error) {
        // One that cannot be read is reported when all are gone through.
        if (!isLonghandError(error, "SESSION_DAMAGED")) throw error;
      }
    }
    return own;
  }

  /** `onPart` tells how much of the session is done, from 0 to 1. */
  async *#snapshots(
    onProgress: OnProgress = () => undefined,
    filter?: SearchFilter,
  ): AsyncIterable<{ readonly snapshot: Snapshot; readonly onPart: (share: number) => void }> {
    let total = 0;
    let done = 0;
    const onDone = (): void => {
      done += 1;
      onProgress(done, Math.max(total, done));
    };
    const mayBeIn = (lines: Buffer): boolean => filter?.mayBeIn(lines) ?? true;
    const wanted = filter === undefined ? undefined : { mayBeIn, onLeftOut: onDone };
    for await (const snapshot of this.#open().snapshots((sessions) => (total = sessions), wanted)) {
      const before = done;
      yield { snapshot, onPart: (share) => onProgress(before + share, Math.max(total, before + 1)) };
      onDone();
    }
  }

  async verify(options?: UpkeepOptions): Promise<VerifyReport> {
    return await this.#open().upkeep.verify(checkUpkeep("verify", options));
  }

  async repair(options?: UpkeepOptions): Promise<VerifyReport> {
    return await this.#open().upkeep.repair(checkUpkeep("repair", options));
  }

  async reclaim(options?: ReclaimOptions): Promise<Reclaimed> {
    return await this.#open().upkeep.reclaim(checkReclaim(options));
  }

  async purge(options?: PurgeOptions): Promise<readonly SessionInfo[]> {
    checkOptions("purge", options, { before: time, dryRun: flag });
    const { putAway } = this.#open();
    if (putAway === undefined) throw lackOf("purge", { directory: this.directory });
    return await putAway.purge(options?.before?.getTime(), options?.dryRun ?? false);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#waiting.endAll(this.#closedError());
    await this.#backend.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(): OpenBackend {
    if (this.#closing === undefined) return this.#backend;
    throw this.#closedError();
  }

  #closedError(): LonghandError {
    const { directory } = this;
    return new LonghandError("STORE_CLOSED", "the store is closed; open it again with openStore", {
      directory,
    });
  }
}

async function* hitsIn<M extends Message>(
  snapshot: Snapshot,
  words: readonly string[],
  filter: SearchFilter,
  onPart: (share: number) => void,
): AsyncIterable<SearchHit<M>> {
  const { info, state, firstSeq } = snapshot;
  const { key } = info;
  const records = state.seq - firstSeq + 1;
  try {
    for await (const block of snapshot.entries({ from: firstSeq, to: state.seq, reverse: true })) {
      for (const { seq, body } of block) {
        onPart((state.seq - seq) / records);
        if (body.op !== "message") continue;
        const { json } = body;
        if (!filter.mayMatch(json)) continue;
        const message = toMessage<M>(json);
        const match = matchMessage(words, message);
        if (match !== undefined) yield { key, seq, message, ...match };
      }
    }
  } catch (error) {
    // Dropped, or deleted for good, since the search began: only what is kept is searched.
    if (!isLonghandError(error, "RECORD_DROPPED") && !isLonghandError(error, "SESSION_NOT_FOUND"))
      throw error;
  }
}

/** Best first; among equals the later ones of a session. Sorts and shortens in place. */
function keepBest<M extends Message>(hits: SearchHit<M>[], limit: number): SearchHit<M>[] {
  hits.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : a.key > b.key ? 1 : b.seq - a.seq));
  hits.length = Math.min(hits.length, limit);
  return hits;
}
