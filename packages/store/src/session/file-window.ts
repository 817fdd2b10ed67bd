/** Reads a file here and there, mostly forwards, with few reads: what lies close behind is read along. */

import type { OpenFile } from "../host/host.ts";
import { MAX_LINE_BYTES, NEWLINE } from "../format/format.ts";

const WINDOW_BYTES = 256 * 1024;

export interface LineAt {
  readonly offset: number;
  /** Without the newline. */
  readonly content: Buffer;
  /** With the newline, if there is one. */
  readonly bytes: number;
}

export class FileWindow {
  readonly size: number;
  readonly #file: Pick<OpenFile, "read">;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(file: Pick<OpenFile, "read">, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Fewer bytes at the beginning and at the end of the file. */
  async read(from: number, to: number): Promise<Buffer> {
    const start = Math.max(0, from);
    const end = Math.min(to, this.size);
    if (end <= start) return Buffer.alloc(0);
    if (start < this.#start || end > this.#start + this.#bytes.length) {
      const buffer = Buffer.allocUnsafe(Math.min(this.size, Math.max(end, start + WINDOW_BYTES)) - start);
      this.#bytes = buffer.subarray(0, await this.#file.read(buffer, start));
      this.#start = start;
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start);
  }

  /** The line that has the byte at this position. `undefined`: longer than any line of ours. */
  async lineAt(position: number): Promise<LineAt | undefined> {
    const offset = await this.#lineStart(position);
    if (offset === undefined) return undefined;
    for (let length = WINDOW_BYTES; ; length *= 4) {
      const bytes = await this.read(offset, offset + length);
      const newline = bytes.indexOf(NEWLINE, position - offset);
      if (newline !== -1) return { offset, content: bytes.subarray(0, newline), bytes: newline + 1 };
      if (bytes.length < length) return { offset, content: bytes, bytes: bytes.length };
      if (length > MAX_LINE_BYTES) return undefined;
    }
  }

  async #lineStart(position: number): Promise<number | undefined> {
    for (let end = position; end > 0; end -= WINDOW_BYTES) {
      if (position - end > MAX_LINE_BYTES) return undefined;
      const bytes = await this.read(end - WINDOW_BYTES, end);
      const newline = bytes.lastIndexOf(NEWLINE);
      if (newline !== -1) return Math.max(0, end - WINDOW_BYTES) + newline + 1;
    }
    return 0;
  }
}
