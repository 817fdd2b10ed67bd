/** Sparse marks of where seqs lie in a file, so that a read begins near what it wants. One for each 64 KiB. */

const SPACING_BYTES = 64 * 1024;

interface Mark {
  readonly seq: number;
  readonly offset: number;
}

export class SeqMarks {
  readonly #marks: Mark[] = [];

  /** In rising order. */
  add(seq: number, offset: number): void {
    const last = this.#marks.at(-1);
    if (last === undefined || offset - last.offset >= SPACING_BYTES) this.#marks.push({ seq, offset });
  }

  /** An offset at or before the line of this seq; `undefined`: begin at the first record. */
  atOrBefore(seq: number): number | undefined {
    return this.#marks[this.#lastAtOrBefore(seq)]?.offset;
  }

  /** The offset of a line after that of this seq, to begin from when reading backwards; `undefined`: the end. */
  after(seq: number): number | undefined {
    return this.#marks[this.#lastAtOrBefore(seq) + 1]?.offset;
  }

  #lastAtOrBefore(seq: number): number {
    let low = 0;
    let high = this.#marks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
