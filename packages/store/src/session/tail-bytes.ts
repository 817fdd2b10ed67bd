/**
 * The bytes of a source before a position, for a reader that goes backwards from there: they are read from the file once, twice as many
 * with each read, and stay in memory up to a limit.
 */

import { andThen } from "../host/and-then.ts";
import type { Awaitable } from "../host/host.ts";
import type { ByteSource } from "./byte-source.ts";

const FIRST_BYTES = 128 * 1024;

export class TailBytes implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #limit: number;
  /** What is in memory begins here, and ends at `#end`. */
  #start: number;
  readonly #end: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource, end: number, limit: number) {
    this.size = source.size;
    this.#source = source;
    this.#limit = limit;
    this.#start = end;
    this.#end = end;
  }

  /** What is not in memory, and shall not be, is read as it is asked for. */
  read(into: Buffer, position: number): Awaitable<number> {
    const isBefore = position + into.length <= this.#end;
    return andThen(isBefore ? this.from(position) : undefined, (bytes) =>
      bytes === undefined ? this.#source.read(into, position) : bytes.copy(into),
    );
  }

  /** The bytes from this position up to the end. `undefined`: they are more than the limit, or not there any more. */
  from(position: number): Awaitable<Buffer | undefined> {
    const held = (): Buffer => this.#bytes.subarray(position - this.#start);
    if (position >= this.#start) return held();
    if (this.#end - position > this.#limit) return undefined;
    const wanted = Math.max(this.#end - position, Math.min(this.#bytes.length * 2, this.#limit), FIRST_BYTES);
    const start = Math.max(0, this.#end - wanted);
    const bytes = Buffer.allocUnsafe(this.#end - start);
    const missing = bytes.subarray(0, this.#start - start);
    return andThen(this.#source.read(missing, start), (count) => {
      if (count < missing.length) return undefined;
      this.#bytes.copy(bytes, missing.length);
      this.#bytes = bytes;
      this.#start = start;
      return held();
    });
  }
}
