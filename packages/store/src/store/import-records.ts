/**
 * The records of another session, as `records()` gives them, turned into the bodies of a new one. Each operation is decided anew
 * against the records before it, so that counts and views are computed here and never taken from the outside.
 */

import { LonghandError } from "../errors.ts";
import type { Body, Entry } from "../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../format/fold.ts";
import { isJsonObject } from "../format/json.ts";
import type { Message } from "../format/message.ts";
import { messageBody } from "../format/message-body.ts";
import { serialize } from "../format/serialize.ts";
import type { SessionRecord } from "../format/session-record.ts";
import type { EntryRange, EntryReader, Operation } from "../contract/backend.ts";
import { blocksOf } from "../contract/entry-blocks.ts";
import { checkValue, recordSeq, seq as anySeq, text, texts } from "./check-options.ts";
import { checkBatch, checkSize } from "./check-size.ts";
import { compactTo, decisiveCutSeq, rewindTo, truncateTo, undoCutAt } from "../contract/decide.ts";

export interface ImportedBodies {
  readonly bodies: readonly Body[];
  /** One for each body. */
  readonly times: readonly string[];
}

/** OPTION_INVALID or MESSAGE_INVALID names the record that is wrong by its seq. */
export async function importBodies<M extends Message>(
  records: readonly SessionRecord<M>[],
): Promise<ImportedBodies> {
  const log = new ImportLog();
  for (const [index, record] of records.entries()) {
    if (!isJsonObject(record)) throw invalid(`importRecords, item ${index + 1}`, "is not a record");
    const of = `importRecords, record ${String(record.seq)}`;
    checkValue(of, "seq", record.seq, recordSeq);
    if (record.seq <= log.lastOldSeq) throw invalid(of, "comes after one with the same or a higher seq");
    const body = await bodyOf(record, of, log);
    log.add(record.seq, { seq: log.state.seq + 1, at: checkedTime(of, record.at), body });
  }
  if (log.all.length === 0) throw invalid("importRecords", "has no records");
  return { bodies: checkBatch(log.all.map(({ body }) => body)), times: log.all.map(({ at }) => at) };
}

/** One atomic batch that begins the session. SESSION_EXISTS if the key has an active or archived one. */
export function beginWith(key: string, { bodies, times }: ImportedBodies): Operation {
  return {
    reads: false,
    decide: ({ seq }) => {
      if (seq === 0) return { add: bodies, id: undefined, times };
      throw new LonghandError(
        "SESSION_EXISTS",
        `there is a session ${JSON.stringify(key)} already; import the records under another key`,
        { key },
      );
    },
  };
}

async function bodyOf<M extends Message>(
  record: SessionRecord<M>,
  of: string,
  log: ImportLog,
): Promise<Body> {
  const checked = (name: string, value: string): string => {
    checkValue(of, name, value, text);
    checkSize(of, name, value);
    return value;
  };
  switch (record.op) {
    case undefined:
      return named(of, () => messageBody(record.message));
    case "summary":
      return { op: "summary", summary: checked("summary", record.summary) };
    case "truncate":
      checkValue(of, "keepFrom", record.keepFrom, anySeq);
      return await log.decide(truncateTo({ keepFrom: log.firstFrom(record.keepFrom) }, {}));
    case "compact":
      checkValue(of, "keepFrom", record.keepFrom, anySeq);
      return await log.decide(
        compactTo(checked("summary", record.summary), log.firstFrom(record.keepFrom), {}),
      );
    case "rewind": {
      checkValue(of, "to", record.to, anySeq);
      if (record.to >= record.seq) throw invalid(of, "goes back to a record that comes later");
      const cut = record.undoesCut === true ? await decisiveCutSeq(log, log.state.seq) : undefined;
      return await log.decide(
        cut === undefined ? rewindTo({ to: log.lastUpTo(record.to) }, {}) : undoCutAt(cut, {}),
      );
    }
    case "reset":
      return {
        op: "reset",
        ...(record.summary === undefined ? {} : { summary: checked("summary", record.summary) }),
      };
    case "meta": {
      const { title, tags } = record;
      if (tags !== undefined) checkValue(of, "tags", tags, texts);
      checkSize(of, "tags", tags ?? []);
      return {
        op: "meta",
        ...(title === undefined ? {} : { title: checked("title", title) }),
        ...(tags === undefined ? {} : { tags: [...tags] }),
      };
    }
    case "note":
      return {
        op: "note",
        kind: checked("kind", record.kind),
        json: named(of, () => serialize(record.data, "the note")),
      };
    case "unknown":
      throw invalid(of, "is of a kind that this version does not know");
    default: {
      // Records may come from a file: the type is no proof.
      const { op }: { readonly op?: unknown } = record satisfies never;
      throw invalid(of, `is of no known kind: ${JSON.stringify(op)}`);
    }
  }
}

/** The records so far, by their new seqs, which begin with 1 and have no gaps. */
class ImportLog implements EntryReader {
  readonly firstSeq = 1;
  readonly #entries: Entry[] = [];
  /** Ascending. */
  readonly #oldSeqs: number[] = [];
  readonly #states: SessionState[] = [EMPTY_STATE];

  get all(): readonly Entry[] {
    return this.#entries;
  }

  get state(): SessionState {
    return this.#states.at(-1) ?? EMPTY_STATE;
  }

  get lastOldSeq(): number {
    return this.#oldSeqs.at(-1) ?? 0;
  }

  add(oldSeq: number, entry: Entry): void {
    this.#states.push(foldEntry(this.state, entry));
    this.#entries.push(entry);
    this.#oldSeqs.push(oldSeq);
  }

  async decide(operation: Operation): Promise<Body> {
    const { state } = this;
    const decision = operation.reads ? await operation.decide(state, this) : operation.decide(state);
    const [body] = "already" in decision ? [] : decision.add;
    if (body === undefined) throw new Error("an operation without an id adds a record");
    return body;
  }

  /** The new seq of the first record from this old one on. */
  firstFrom(oldSeq: number): number {
    return this.#countUpTo(oldSeq - 1) + 1;
  }

  /** The new seq of the last record up to this old one; 0: there is none. */
  lastUpTo(oldSeq: number): number {
    return this.#countUpTo(oldSeq);
  }

  entries(range: EntryRange): AsyncIterable<readonly Entry[]> {
    return blocksOf(this.#entries, range);
  }

  stateAfter(seq: number): Promise<SessionState> {
    return Promise.resolve(this.#states[seq] ?? this.state);
  }

  #countUpTo(oldSeq: number): number {
    let low = 0;
    let high = this.#oldSeqs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#oldSeqs[middle] ?? 0) <= oldSeq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function checkedTime(of: string, at: unknown): string {
  const time = typeof at === "string" ? new Date(at) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) throw invalid(of, "has no valid time in “at”");
  return time.toISOString();
}

function named<T>(of: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof LonghandError)) throw error;
    throw new LonghandError(error.code, `${of}: ${error.message}`, error.detail, error.cause);
  }
}

function invalid(of: string, what: string): LonghandError {
  return new LonghandError("OPTION_INVALID", `${of} ${what}`, { of });
}
