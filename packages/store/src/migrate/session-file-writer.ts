/** Writes a whole session file from front to back: header, records, and a checkpoint about every 256 KiB. */

import type { OpenFile } from "../host/host.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeCheckpoint, fitsInLine, isCheckpointDue } from "../format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../format/checksum.ts";
import { encodeEntry } from "../format/encode.ts";
import type { Body, Entry } from "../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../format/fold.ts";
import { encodeHeader, firstHeader, type Header } from "../format/header.ts";
import { lineSum } from "../format/line-checksum.ts";

const BUFFER_BYTES = 1024 * 1024;

export class SessionFileWriter {
  readonly #file: OpenFile;
  readonly #id: string;
  #state: SessionState = EMPTY_STATE;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #position = 0;
  #sum = EMPTY_SUM;
  /** The checksum of the last line. */
  #lastSum = EMPTY_SUM;
  #sinceCheckpoint = 0;
  #checkpointBytes = 0;

  constructor(file: OpenFile, identity: Pick<Header, "key" | "id" | "at">) {
    this.#file = file;
    this.#id = identity.id;
    this.#put(encodeHeader(firstHeader(identity)));
  }

  get state(): SessionState {
    return this.#state;
  }

  async add(body: Body, at: string): Promise<void> {
    await this.addEntry({ seq: this.#state.seq + 1, at, body });
  }

  async addEntry(entry: Entry): Promise<void> {
    this.#put(encodeEntry(entry, this.#id));
    this.#state = foldEntry(this.#state, entry);
    // Never inside a batch: its lines follow each other.
    const isBetween = entry.batch === undefined || entry.batch.index === entry.batch.size;
    if (isBetween && isCheckpointDue(this.#sinceCheckpoint, this.#checkpointBytes)) {
      const place = { offset: this.#position + this.#waitingBytes, before: this.#lastSum };
      const line = encodeCheckpoint({ state: this.#state, sum: this.#sum, place }, this.#id);
      if (fitsInLine(line)) this.#put(line);
      this.#checkpointBytes = line.length;
      this.#sinceCheckpoint = 0;
    }
    if (this.#waitingBytes >= BUFFER_BYTES) await this.#flush();
  }

  /** Everything is on the disk; its name may not be yet. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
  }

  #put(line: Buffer): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#sinceCheckpoint += line.length;
    this.#sum = continueSum(this.#sum, line);
    this.#lastSum = lineSum(line);
  }

  async #flush(): Promise<void> {
    await writeFully(this.#file, Buffer.concat(this.#waiting), this.#position);
    this.#position += this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
