/**
 * Bytes to lines, whatever the other side sends: no more than one line is ever held, and what cannot be a line is told once, in its
 * place, so that the numbers of the lines stay right.
 */

/** In place of a line that cannot be used. */
export interface UnusableLine {
  readonly unusable: string;
}

/**
 * Lines end with LF or CR LF; the last one may do without. One with more than `most` bytes is told as soon as it has them, also if its end never
 * comes, and passed over up to its end. Takes the next chunk only when the next line is asked for.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string | UnusableLine, void, undefined> {
  const begun = new BegunLine(most);
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const wasTold = begun.isTooLong;
      begun.add(chunk.subarray(from, end));
      const line = begun.end();
      from = end + 1;
      if (!wasTold) yield line;
    }
    const wasTold = begun.isTooLong;
    begun.add(chunk.subarray(from));
    if (begun.isTooLong && !wasTold) yield tooLong(most);
  }
  if (!begun.isEmpty && !begun.isTooLong) yield begun.end();
}

const LF = 0x0a;
const CR = 0x0d;
const FIRST_ROOM = 1024;

/** Its bytes in one piece, however small the pieces are in which they come. */
class BegunLine {
  readonly #most: number;
  #bytes: Uint8Array = new Uint8Array(FIRST_ROOM);
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** One byte more may be the CR of its end. */
  get isTooLong(): boolean {
    return this.#length > this.#most + 1;
  }

  add(bytes: Uint8Array): void {
    if (this.isTooLong) return;
    const length = this.#length + bytes.length;
    if (length <= this.#most + 1) {
      if (length > this.#bytes.length) this.#grow(length);
      this.#bytes.set(bytes, this.#length);
    }
    this.#length = length;
  }

  end(): string | UnusableLine {
    const bytes = this.#bytes.subarray(0, this.#length);
    const isWithinReach = !this.isTooLong;
    this.#length = 0;
    this.#bytes = bytes.length > FIRST_ROOM ? new Uint8Array(FIRST_ROOM) : this.#bytes;
    const line = bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
    if (!isWithinReach || line.length > this.#most) return tooLong(this.#most);
    try {
      // A byte order mark in front, as some programs write it, is none of the line.
      return new TextDecoder("utf-8", { fatal: true }).decode(line);
    } catch {
      return { unusable: "the line is no UTF-8" };
    }
  }

  #grow(length: number): void {
    const larger = new Uint8Array(Math.min(Math.max(length, 2 * this.#bytes.length), this.#most + 1));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

function tooLong(most: number): UnusableLine {
  return { unusable: `the line has more than ${most} bytes, which are the most` };
}
