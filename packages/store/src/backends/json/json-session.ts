/** A session in memory together with the text of its file. */

import type { Entry } from "../../format/entry.ts";
import { foldEntry } from "../../format/fold.ts";
import { SessionInMemory } from "../session-in-memory.ts";
import { encodeSessionJson, toLogRecord, type LogRecord, type SessionJson } from "./session-json.ts";

export class JsonSession {
  readonly memory: SessionInMemory;
  readonly #records: LogRecord[];
  readonly #others: SessionJson["others"];

  constructor({ header, records, others }: SessionJson) {
    this.#records = [...records];
    this.#others = others;
    this.memory = new SessionInMemory(
      header,
      records.map(({ entry }) => entry),
    );
  }

  records(entries: readonly Entry[]): LogRecord[] {
    return entries.map((entry) => toLogRecord(entry, this.memory.header.id));
  }

  /** The file as it is when these records have been added. */
  text(added: readonly LogRecord[] = []): string {
    const state = added.reduce((folded, { entry }) => foldEntry(folded, entry), this.memory.state);
    const records = [...this.#records, ...added];
    return encodeSessionJson({ header: this.memory.header, records, others: this.#others }, state);
  }

  add(added: readonly LogRecord[]): void {
    for (const record of added) this.#records.push(record);
    this.memory.add(added.map(({ entry }) => entry));
  }
}
