/** One conversation, the same over every backend. Checks what comes in, shapes what goes out; keeps nothing itself. */

import { isLonghandError, LonghandError } from "../errors.ts";
import type { Body, Entry } from "../record/entry.ts";
import { isLive } from "../record/fold.ts";
import { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES } from "../record/format.ts";
import type { Message } from "../record/message.ts";
import { messageBody } from "../record/message-body.ts";
import { serialize } from "../record/serialize.ts";
import type { SessionInfo, SessionRecord } from "../record/session-record.ts";
import { toMessage, toSessionRecord } from "../record/surface.ts";
import type { OpenBackend, Operation, PutAway, Snapshot } from "./backend.ts";
import {
  checkCut,
  checkOptions,
  checkValue,
  count,
  flag,
  id,
  identified,
  seq,
  text,
  texts,
  WRITE_OPTIONS,
} from "./check-options.ts";
import { addBodies, compactTo, rewindTo, truncateTo } from "./decide.ts";
import type { IdentifiedWriteOptions, Session, WriteOptions, Written } from "./types.ts";

type MessagesOptions = Parameters<Session["messages"]>[0];
type RecordsOptions = Parameters<Session["records"]>[0];

export class BackendSession<M extends Message> implements Session<M> {
  readonly key: string;
  /** Rejects when the store is closed. */
  readonly #backend: () => OpenBackend;

  constructor(key: string, backend: () => OpenBackend) {
    this.key = key;
    this.#backend = backend;
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

  async replace(messages: readonly M[], options?: WriteOptions & { summary?: string }): Promise<Written> {
    checkOptions("replace", options, { ...WRITE_OPTIONS, summary: text });
    if (options?.summary !== undefined) checkText("replace", "summary", options.summary);
    checkValue("replace", "messages", messages, [Array.isArray, "an array of messages"]);
    const summary = options?.summary === undefined ? {} : { summary: options.summary };
    const bodies = checkBatch([{ op: "reset", ...summary }, ...this.#bodies(messages)]);
    return await this.#write(addBodies(bodies, expected(options)));
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

  async messages(options?: MessagesOptions): Promise<M[]> {
    checkOptions("messages", options, { last: count, from: seq, to: seq });
    const messages: M[] = [];
    for await (const { json } of this.#liveMessages({ ...options, reverse: options?.last !== undefined })) {
      messages.push(toMessage<M>(json));
    }
    return options?.last === undefined ? messages : messages.reverse();
  }

  async *iterate(options?: { from?: number; reverse?: boolean }): AsyncIterable<M> {
    checkOptions("iterate", options, { from: seq, reverse: flag });
    for await (const { json } of this.#liveMessages({ ...options })) yield toMessage<M>(json);
  }

  async *records(options?: RecordsOptions): AsyncIterable<SessionRecord<M>> {
    checkOptions("records", options, { last: count, from: seq, to: seq, reverse: flag, live: flag });
    const { last, reverse = false } = options ?? {};
    if (last === undefined || reverse) {
      for await (const entry of this.#entries({ ...options })) yield toSessionRecord<M>(entry);
      return;
    }
    const entries: Entry[] = [];
    for await (const entry of this.#entries({ ...options, reverse: true })) entries.push(entry);
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

  async #write(operation: Operation): Promise<Written> {
    return await this.#backend()
      .write(this.key, operation)
      .catch((error: unknown) => {
        throw nameSession(error, this.key, "");
      });
  }

  #bodies(messages: readonly unknown[]): Body[] {
    return messages.map((message, index) => {
      try {
        return messageBody(message);
      } catch (error) {
        throw nameSession(
          error,
          this.key,
          messages.length === 1 ? "" : `, message ${index + 1} of ${messages.length}`,
        );
      }
    });
  }

  #putAway(of: string): PutAway {
    const { putAway } = this.#backend();
    if (putAway !== undefined) return putAway;
    const message = `this store's backend cannot ${of} sessions; the JSONL backend can`;
    throw new LonghandError("STORE_READ_ONLY", message, { key: this.key });
  }

  async #snapshot(): Promise<Snapshot | undefined> {
    return await this.#backend().snapshot(this.key);
  }

  async *#liveMessages(options: NonNullable<RecordsOptions>): AsyncIterable<{ readonly json: string }> {
    for await (const { body } of this.#entries({ ...options, live: true })) {
      if (body.op === "message") yield body;
    }
  }

  async *#entries(options: NonNullable<RecordsOptions>): AsyncIterable<Entry> {
    const { last = Infinity, from = 1, to = Infinity, reverse = false, live = false } = options;
    const snapshot = await this.#snapshot();
    if (snapshot === undefined || last === 0) return;
    const { state } = snapshot;
    const first = live ? Math.max(from, state.keepFrom) : Math.max(from, 1);
    let remaining = last;
    for await (const entry of snapshot.entries({ from: first, to: Math.min(to, state.seq), reverse })) {
      if (live && (entry.body.op !== "message" || !isLive(state, entry.seq))) continue;
      yield entry;
      if (--remaining === 0) return;
    }
  }
}

function checkText(of: string, name: string, value: unknown): void {
  checkValue(of, name, value, text);
  checkSize(of, name, value);
}

/** What could be written but not read back is refused, as for messages. */
function checkSize(of: string, name: string, value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_MESSAGE_BYTES) return;
  const limit = MAX_MESSAGE_BYTES;
  const message = `${name} of ${of} has ${bytes} bytes; at most ${limit / 1024 / 1024} MiB can be kept`;
  throw new LonghandError("MESSAGE_TOO_LARGE", message, { bytes, limit });
}

/** Whoever reads the error in a log sees which session it was. */
function nameSession(error: unknown, key: string, place: string): unknown {
  if (!isLonghandError(error) || "key" in error.detail) return error;
  const message = `session ${JSON.stringify(key)}${place}: ${error.message}`;
  return new LonghandError(error.code, message, { ...error.detail, key }, error.cause);
}

function expected(options: WriteOptions | undefined): WriteOptions {
  return options?.expectedSeq === undefined ? {} : { expectedSeq: options.expectedSeq };
}

/** A copy without what is `undefined`, which counts as not given. */
function given<T extends object>(cut: T): T {
  return Object.fromEntries(Object.entries(cut).filter(([, value]) => value !== undefined)) as T;
}

function checkBatch(bodies: readonly Body[]): readonly Body[] {
  let bytes = 0;
  for (const body of bodies) if (body.op === "message") bytes += Buffer.byteLength(body.json);
  if (bytes <= MAX_BATCH_BYTES) return bodies;
  throw new LonghandError(
    "MESSAGE_TOO_LARGE",
    `a batch holds at most ${MAX_BATCH_BYTES / 1024 / 1024} MiB, this one ${Math.ceil(bytes / 1024 / 1024)}; append it in parts`,
    { bytes, limit: MAX_BATCH_BYTES },
  );
}
