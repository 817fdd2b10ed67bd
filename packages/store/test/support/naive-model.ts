/**
 * What a session is, said in the most naive way: a whole picture of it after each record, and a rewind looks up the
 * old picture. Shares nothing with record/fold.ts, which it checks.
 */

export interface Picture {
  /** The seqs of the live messages. */
  readonly live: readonly number[];
  /** The seqs that no rewind and no replace has cut; truncate and compact hide, they do not cut. */
  readonly uncut: readonly number[];
  readonly summary: string;
  readonly title: string | undefined;
  readonly tags: readonly string[];
}

export class NaiveModel {
  /** Picture n is the one after record n. */
  readonly pictures: Picture[] = [{ live: [], uncut: [], summary: "", title: undefined, tags: [] }];
  readonly #ids: { readonly id: string; readonly seq: number }[] = [];

  get seq(): number {
    return this.pictures.length - 1;
  }

  get now(): Picture {
    return this.after(this.seq);
  }

  after(seq: number): Picture {
    const picture = this.pictures[seq];
    if (picture === undefined) throw new RangeError(`there is no record ${seq}`);
    return picture;
  }

  knows(id: string): boolean {
    return this.#ids.some((one) => one.id === id && this.now.uncut.includes(one.seq));
  }

  message(id?: string): void {
    const seq = this.seq + 1;
    if (id !== undefined) this.#ids.push({ id, seq });
    this.#add({ live: [...this.now.live, seq], uncut: [...this.now.uncut, seq] });
  }

  note(): void {
    this.#add({});
  }

  summary(summary: string): void {
    this.#add({ summary });
  }

  title(title: string): void {
    this.#add({ title });
  }

  tags(tags: readonly string[]): void {
    this.#add({ tags });
  }

  truncateLast(count: number): void {
    this.#add({ live: count === 0 ? [] : this.now.live.slice(-count) });
  }

  truncateFrom(keepFrom: number): void {
    this.#add({ live: this.now.live.filter((seq) => seq >= keepFrom) });
  }

  compact(summary: string, keepFrom: number): void {
    this.#add({ live: this.now.live.filter((seq) => seq >= keepFrom), summary });
  }

  rewindTo(to: number): void {
    // There is nothing to take back: nothing is written.
    if (this.seq === 0) return;
    const { live, uncut, summary } = this.after(to);
    this.#add({ live, uncut, summary });
  }

  rewindMessages(count: number): void {
    const first = count === 0 ? undefined : this.now.live.slice(-count)[0];
    this.rewindTo(first === undefined ? this.seq : first - 1);
  }

  replace(count: number, summary?: string): void {
    this.#add({ live: [], uncut: [], ...(summary === undefined ? {} : { summary }) });
    for (let number = 0; number < count; number++) this.message();
  }

  #add(change: Partial<Picture>): void {
    this.pictures.push({ ...this.now, ...change });
  }
}
