/**
 * Writes a file of a session anew from what is good of an old one: its lines as they were, a line for each run of
 * records that is gone, and checkpoints of its own, since the old ones sum up bytes that are no longer before them.
 */

import type { FileSystem, OpenFile } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeCheckpoint, fitsInLine, isCheckpointDue } from "../format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../format/checksum.ts";
import { encodeLost } from "../format/encode.ts";
import type { Entry } from "../format/entry.ts";
import { foldEntry, type SessionState } from "../format/fold.ts";
import { encodeHeader, type Header } from "../format/header.ts";
import { lineSum } from "../format/line-checksum.ts";

const WRITE_BYTES = 1024 * 1024;
const NEWLINE = Buffer.from("\n");

export interface NewPart {
  /** What an editor has put before the header; nothing, as a rule. */
  readonly mark: Buffer;
  readonly header: Header;
  /** Whose salt its lines have. */
  readonly writtenBy: string;
  /** With which it begins. */
  readonly state: SessionState;
  /** Whether that state is only the best guess, since records before it are gone. */
  readonly isGuess: boolean;
  /** A time for the lines that say what is lost. */
  readonly now: string;
}

export interface WrittenPart {
  readonly bytes: number;
  readonly sum: string;
  readonly state: SessionState;
  /** Runs of records that no line of the old file spoke of: they are gone from now on. */
  readonly lost: readonly LostRun[];
}

export interface LostRun {
  readonly first: number;
  readonly last: number;
}

export class PartWriter {
  readonly #file: OpenFile;
  readonly #writtenBy: string;
  readonly #now: string;
  #state: SessionState;
  /** Records were lost since the last checkpoint: the next old one knows more than the fold. */
  #hasLost: boolean;
  #bytes = 0;
  #sum = EMPTY_SUM;
  /** The checksum of the last line. */
  #lastSum = EMPTY_SUM;
  #checkpoint = { end: 0, bytes: 0 };
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #written = 0;
  readonly #lost: LostRun[] = [];

  constructor(file: OpenFile, { mark, header, writtenBy, state, isGuess, now }: NewPart) {
    this.#file = file;
    this.#writtenBy = writtenBy;
    this.#state = state;
    this.#hasLost = isGuess;
    this.#now = now;
    this.#add(mark, encodeHeader(header));
    this.#checkpoint.end = this.#bytes;
    if (header.file > 0) this.#addCheckpoint();
  }

  /** `line` is without its newline. What is missing before it is called lost. */
  entry(entry: Entry, line: Buffer): void {
    this.lostUpTo(entry.seq - 1);
    // Within a batch it would look like the batch's end.
    if ((entry.batch?.index ?? 1) === 1 && this.#isCheckpointDue()) this.#addCheckpoint();
    this.#add(line, NEWLINE);
    this.#state = foldEntry(this.#state, entry);
  }

  /** An old checkpoint. After a loss its state is the truth, which the fold no longer leads to. */
  checkpoint(state: SessionState): void {
    this.lostUpTo(state.seq);
    this.#state = state;
    if (this.#hasLost) this.#addCheckpoint();
    this.#hasLost = false;
  }

  /** A good line that is no record. */
  aside(line: Buffer): void {
    this.#add(line, NEWLINE);
  }

  /** Every record up to this seq that is not here is gone. */
  lostUpTo(seq: number): void {
    if (seq > this.#state.seq) this.#lost.push({ first: this.#state.seq + 1, last: seq });
    this.#loseUpTo(seq);
  }

  /** The rest of a batch that was cut in two by a fork: not the session's, but without it the batch looks unfinished. */
  endBatch(seq: number): void {
    this.#loseUpTo(seq);
  }

  #loseUpTo(seq: number): void {
    if (seq <= this.#state.seq) return;
    this.#add(encodeLost(this.#state.seq + 1, seq, this.#now, this.#writtenBy));
    this.#state = { ...this.#state, seq };
    this.#hasLost = true;
  }

  /** The line of an earlier repair that says the same. */
  lostBefore(first: number, last: number, line: Buffer): void {
    // Some of it has been found again.
    if (first <= this.#state.seq) {
      this.#loseUpTo(last);
      return;
    }
    this.lostUpTo(first - 1);
    this.#add(line, NEWLINE);
    this.#state = { ...this.#state, seq: last };
    this.#hasLost = true;
  }

  get hasLost(): boolean {
    return this.#hasLost;
  }

  /** Writes what has gathered, once it is much. */
  async drain(): Promise<void> {
    if (this.#waitingBytes >= WRITE_BYTES) await this.#write();
  }

  /** Afterwards it is on the disk, but for its name. */
  async finish(): Promise<WrittenPart> {
    await this.#write();
    await this.#file.sync();
    return { bytes: this.#bytes, sum: this.#sum, state: this.#state, lost: this.#lost };
  }

  #isCheckpointDue(): boolean {
    const { end, bytes } = this.#checkpoint;
    return isCheckpointDue(this.#bytes - end, bytes);
  }

  #addCheckpoint(): void {
    const place = { offset: this.#bytes, before: this.#lastSum };
    const line = encodeCheckpoint({ state: this.#state, sum: this.#sum, place }, this.#writtenBy);
    if (fitsInLine(line)) this.#add(line);
    this.#checkpoint = { end: this.#bytes, bytes: line.length };
  }

  #add(...pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
      this.#bytes += piece.length;
      this.#sum = continueSum(this.#sum, piece);
      if (piece !== NEWLINE) this.#lastSum = lineSum(piece);
    }
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await writeFully(this.#file, bytes, this.#written);
    this.#written += bytes.length;
  }
}

/** Complete and synced, under a temporary name. */
export async function writePart(
  files: FileSystem,
  temporary: string,
  part: NewPart,
  fill: (writer: PartWriter) => Promise<void>,
): Promise<WrittenPart> {
  return await useFile(await files.open(temporary, "create"), async (file) => {
    const writer = new PartWriter(file, part);
    await fill(writer);
    return await writer.finish();
  });
}
