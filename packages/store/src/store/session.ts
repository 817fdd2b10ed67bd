/** One conversation, the same over every backend. Checks what comes in, shapes what goes out; keeps nothing itself. */

import { isLonghandError, LonghandError } from "../errors.ts";
import type { Body, Entry } from "../format/entry.ts";
import { newestNote } from "../format/fold.ts";
import { checkKey } from "../format/key.ts";
import type { Message } from "../format/message.ts";
import { messageBody } from "../format/message-body.ts";
import { serialize } from "../format/serialize.ts";
import type { NoteRecord, SessionInfo, SessionRecord } from "../format/session-record.ts";
import { toMessage, toSessionRecord } from "../format/surface.ts";
import type { OpenBackend, Operation, PutAway, Snapshot } from "../contract/backend.ts";
import {
  abortSignal,
  checkCut,
  checkOptions,
  checkValue,
  count,
  flag,
  id,
  identified,
  recordSeq,
  seq,
  text,
  texts,
  WRITE_OPTIONS,
} from "./check-options.ts";
import { checkBatch, checkSize, checkText } from "./check-size.ts";
import { addBodies, compactTo, rewindTo, truncateTo, undoCutAt } from "../contract/decide.ts";
import { beginWith, importBodies } from "./import-records.ts";
import { lackOf } from "./lack-of.ts";
import { refuseOpenAIShape } from "./refuse-openai-shape.ts";
import { lockSession } from "./lock-session.ts";
import { nameSession } from "./name-session.ts";
import type { OpenPlace } from "./open-place.ts";
import { selectEntries, type RecordsOptions } from "./select-entries.ts";
import type {
  IdentifiedWriteOptions,
  LockOptions,
  Session,
  WatchOptions,
  WriteOptions,
  Written,
} from "../contract/types.ts";
import { watchSession } from "./watch.ts";

export class BackendSession<M extends Message> implements Session<M> {
  readonly key: string;
  readonly #place: OpenPlace;

  constructor(key: string, place: OpenPlace) {
    this.key = key;
    this.#place = place;
  }

  async append(message: M | readonly M[], options?: IdentifiedWriteOptions): Promise<Written> {
    const bodies = Array.isArray(message) ? checkBatch(this.#bodies(message)) : this.#bodies([message]);
    return await this.#write(addBodies(bodies, identified("append", options)));
  }

  async note(kind: string, data: unknown, options?: IdentifiedWriteOptions): Promise<Written> {
    checkText("note", "kind", kind);
    const body: Body = { op: "note", kind, json: serialize(data, "the note") };
    return await this.#write(addBodies([body], identified("note", options)));
  }

  async lastNote(kind: string): Promise<NoteRecord | undefined> {
    checkText("lastNote", "kind", kind);
    const snapshot = await this.#snapshot();
    if (snapshot === undefined) return undefined;
    const { state, firstSeq } = snapshot;
    const newest = newestNote(state, kind);
    if (newest !== undefined && newest.seq < firstSeq) return undefined;
    // One whose seq is known is read forwards, from the checkpoint before it: backwards, what is behind it would be read, too.
    const isKnown = newest !== undefined;
    const range = { from: newest?.seq ?? firstSeq, to: newest?.seq ?? state.seq, reverse: !isKnown };
    try {
      for await (const block of selectEntries(snapshot, range)) {
        const noted = block.find(({ body }) => body.op === "note" && body.kind === kind);
        const record = noted === undefined ? undefined : toSessionRecord<M>(noted);
        if (record?.op === "note") return record;
      }
    } catch (error) {
      // Dropped since the session was looked at.
      if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
    }
    return undefined;
  }

  async setSummary(summary: string, options?: WriteOptions): Promise<Written> {
    checkText("setSummary", "summary", summary);
    return await this.#set("setSummary", { op: "summary", summary }, options);
  }

  async setTitle(title: string, options?: WriteOptions): Promise<Written> {
    checkText("setTitle", "title", title);
    return await this.#set("setTitle", { op: "meta", title }, options);
  }

  async setTags(tags: readonly string[], options?: WriteOptions): Promise<Written> {
    checkValue("setTags", "tags", tags, texts);
    checkSize("setTags", "tags", tags);
    return await this.#set("setTags", { op: "meta", tags: [...tags] }, options);
  }

  async truncate(cut: { keepLast: number } | { keepFrom: number }, options?: WriteOptions): Promise<Written> {
    checkCut("truncate", cut, { keepLast: count, keepFrom: seq });
    checkOptions("truncate", options, WRITE_OPTIONS);
    return await this.#write(truncateTo(given(cut), expected(options)));
  }

  async rewind(cut: { messages: number } | { to: number }, options?: WriteOptions): Promise<Written> {
    checkCut("rewind", cut, { messages: count, to: seq });
    checkOptions("rewind", options, WRITE_OPTIONS);
    return await this.#write(rewindTo(given(cut), expected(options)));
  }

  async compact(cut: { summary: string; keepFrom: number }, options?: WriteOptions): Promise<Written> {
    checkOptions("compact", cut, { summary: text, keepFrom: seq });
    const { summary, keepFrom } = { ...cut };
    checkText("compact", "summary", summary);
    checkValue("compact", "keepFrom", keepFrom, seq);
    checkOptions("compact", options, WRITE_OPTIONS);
    return await this.#write(compactTo(summary, keepFrom, expected(options)));
  }

  async undoCut(cut: number, options?: WriteOptions): Promise<Written> {
    checkValue("undoCut", "seq", cut, recordSeq);
    checkOptions("undoCut", options, WRITE_OPTIONS);
    return await this.#write(undoCutAt(cut, expected(options)));
  }

  async replace(messages: readonly M[], options?: WriteOptions & { summary?: string }): Promise<Written> {
    checkOptions("replace", options, { ...WRITE_OPTIONS, summary: text });
    if (options?.summary !== undefined) checkText("replace", "summary", options.summary);
    checkValue("replace", "messages", messages, [Array.isArray, "an array of messages"]);
    const summary = options?.summary === undefined ? {} : { summary: options.summary };
    const bodies = checkBatch([{ op: "reset", ...summary }, ...this.#bodies(messages)]);
    return await this.#write(addBodies(bodies, expected(options)));
  }

  async importRecords(records: readonly SessionRecord<M>[]): Promise<Written> {
    checkValue("importRecords", "records", records, [Array.isArray, "an array of records"]);
    return await this.#write(beginWith(this.key, await importBodies(records)));
  }

  async archive(): Promise<void> {
    await this.#putAway("archive").archive(this.key);
  }

  async restore(options?: { id?: string }): Promise<void> {
    checkOptions("restore", options, { id });
    await this.#putAway("restore").restore(this.key, options?.id);
  }

  async delete(options?: { forever?: boolean }): Promise<void> {
    checkOptions("delete", options, { forever: flag });
    await this.#putAway("delete").delete(this.key, options?.forever ?? false);
  }

  async fork(newKey: string, options?: { at?: number }): Promise<Session<M>> {
    checkKey(newKey);
    checkOptions("fork", options, { at: recordSeq });
    if (newKey === this.key) {
      const message = `newKey of fork must be another key than ${JSON.stringify(newKey)}, the session's own`;
      throw new LonghandError("OPTION_INVALID", message, { option: "newKey", value: newKey, key: this.key });
    }
    const backend = this.#backend();
    if (backend.fork === undefined) throw lackOf("fork", { key: this.key });
    await backend.fork(this.key, newKey, options?.at).catch((error: unknown) => {
      throw nameSession(error, this.key);
    });
    return new BackendSession<M>(newKey, this.#place);
  }

  async *watch(options?: WatchOptions): AsyncIterable<SessionRecord<M>> {
    checkOptions("watch", options, { from: seq, signal: abortSignal });
    try {
      yield* watchSession<M>(this.#place, this.key, { ...options });
    } catch (error) {
      throw nameSession(error, this.key);
    }
  }

  async lock(options?: LockOptions): Promise<AsyncDisposable> {
    checkOptions("lock", options, { wait: count, signal: abortSignal });
    return await lockSession(this.#place, this.key, { ...options });
  }

  async messages(options?: Parameters<Session["messages"]>[0]): Promise<M[]> {
    checkOptions("messages", options, { last: count, from: seq, to: seq });
    const messages: M[] = [];
    const isTail = options?.last !== undefined;
    for await (const block of this.#blocks({ ...options, live: true, reverse: isTail })) {
      for (const { body } of block) if (body.op === "message") messages.push(toMessage<M>(body.json));
    }
    return isTail ? messages.reverse() : messages;
  }

  async *iterate(options?: { from?: number; reverse?: boolean }): AsyncIterable<M> {
    checkOptions("iterate", options, { from: seq, reverse: flag });
    for await (const block of this.#blocks({ ...options, live: true })) {
      for (const { body } of block) if (body.op === "message") yield toMessage<M>(body.json);
    }
  }

  async *records(options?: RecordsOptions): AsyncIterable<SessionRecord<M>> {
    checkOptions("records", options, {
      last: count,
      from: seq,
      to: seq,
      reverse: flag,
      live: flag,
      kept: flag,
    });
    const { last, reverse = false } = options ?? {};
    if (last === undefined || reverse) {
      for await (const block of this.#blocks({ ...options })) {
        for (const entry of block) yield toSessionRecord<M>(entry);
      }
      return;
    }
    const entries: Entry[] = [];
    for await (const block of this.#blocks({ ...options, reverse: true }))
      for (const entry of block) entries.push(entry);
    for (const entry of entries.reverse()) yield toSessionRecord<M>(entry);
  }

  async state(): Promise<SessionInfo | undefined> {
    return (await this.#snapshot())?.info;
  }

  async exists(): Promise<boolean> {
    return (await this.#snapshot()) !== undefined;
  }

  async #set(of: string, body: Body, options: WriteOptions | undefined): Promise<Written> {
    checkOptions(of, options, WRITE_OPTIONS);
    return await this.#write(addBodies([body], expected(options)));
  }

  #write(operation: Operation): Promise<Written> {
    return this.#backend()
      .write(this.key, operation)
      .catch((error: unknown) => {
        throw nameSession(error, this.key);
      });
  }

  #bodies(messages: readonly unknown[]): Body[] {
    return messages.map((message, index) => {
      try {
        const body = messageBody(message);
        refuseOpenAIShape(message);
        return body;
      } catch (error) {
        throw nameSession(
          error,
          this.key,
          messages.length === 1 ? "" : `, message ${index + 1} of ${messages.length}`,
        );
      }
    });
  }

  #backend(): OpenBackend {
    return this.#place.backend();
  }

  #putAway(of: string): PutAway {
    const { putAway } = this.#backend();
    if (putAway === undefined) throw lackOf(of, { key: this.key });
    return putAway;
  }

  async #snapshot(): Promise<Snapshot | undefined> {
    return await this.#backend().snapshot(this.key);
  }

  async *#blocks(options: RecordsOptions): AsyncIterable<readonly Entry[]> {
    const snapshot = await this.#snapshot();
    if (snapshot === undefined) return;
    try {
      yield* selectEntries(snapshot, options);
    } catch (error) {
      throw nameSession(error, this.key);
    }
  }
}

function expected(options: WriteOptions | undefined): WriteOptions {
  return options?.expectedSeq === undefined ? {} : { expectedSeq: options.expectedSeq };
}

/** A copy without what is `undefined`, which counts as not given. */
function given<T extends object>(cut: T): T {
  return Object.fromEntries(Object.entries(cut).filter(([, value]) => value !== undefined)) as T;
}
