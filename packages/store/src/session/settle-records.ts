/**
 * Which record a session has for each seq, where records that were kept aside speak of it: the one that counts in its files,
 * one that stands elsewhere in them, a kept one, or none. What a repair writes and what verify says before it are both read
 * from here. Pure.
 */

import { outranks, type Claim } from "../format/claim.ts";

/** A record that counts where it stands. */
export interface StandingRecord {
  readonly sum: string;
  readonly offset: number;
  readonly bytes: number;
  /** The number of its file. */
  readonly file: number;
}

/** What the files of a session have. */
export interface FoundRecords {
  /** The last seq that counts, as a record or as one that is lost. */
  readonly lastSeq: number;
  readonly standing: ReadonlyMap<number, StandingRecord>;
  /** Checksums of whole records that do not count where they stand, in their order. */
  readonly refused: ReadonlyMap<number, readonly string[]>;
  /** Checksums of headers and checkpoints, by the last record before them. */
  readonly otherSums: ReadonlyMap<number, ReadonlySet<string>>;
}

/** A record that a journal has held. */
export interface JournaledRecord {
  readonly seq: number;
  readonly sum: string;
  /** Checksums of lines that it was written after. */
  readonly follows: readonly string[];
  /** What a record may name that was written after this one: its own checksum, or that of a checkpoint behind it. */
  readonly names: readonly string[];
  readonly file: number;
  readonly offset: number;
}

/** The checksum of the record that gets the seq; `undefined`: there is none. For every seq that a journaled record speaks of. */
export type SettledRecords = ReadonlyMap<number, string | undefined>;

/** Each proves more than the one before it. */
const MAX_ROUNDS = 8;

interface Candidate {
  readonly sum: string;
  readonly claim: Claim;
}

export function settleRecords(found: FoundRecords, journaled: readonly JournaledRecord[]): SettledRecords {
  return new Settling(found, journaled).settle();
}

class Settling {
  readonly #found: FoundRecords;
  /** By seq; in an order that does not depend on which file keeps which. */
  readonly #journaled = new Map<number, JournaledRecord[]>();
  readonly #settled = new Map<number, string | undefined>();

  constructor(found: FoundRecords, journaled: readonly JournaledRecord[]) {
    this.#found = found;
    const sorted = journaled.toSorted(
      (one, other) => one.file - other.file || one.offset - other.offset || (one.sum < other.sum ? -1 : 1),
    );
    for (const record of sorted) {
      const same = this.#journaled.get(record.seq);
      if (same === undefined) this.#journaled.set(record.seq, [record]);
      else same.push(record);
    }
  }

  settle(): SettledRecords {
    const seqs = [...new Set([...this.#journaled.keys()].flatMap((seq) => [seq - 1, seq]))]
      .filter((seq) => seq > 0)
      .sort((one, other) => one - other);
    // Backwards first: what stands behind a record proves more than what stands before it. What is found at the end may
    // prove again which record stands before it.
    for (let round = 0, isChanged = true; isChanged && round < MAX_ROUNDS; round++) {
      isChanged = false;
      for (const seq of [...seqs.toReversed(), ...seqs]) {
        const sum = seq < this.#found.lastSeq ? this.#between(seq) : this.#atEnd(seq);
        isChanged ||= !this.#settled.has(seq) || this.#settled.get(seq) !== sum;
        this.#settled.set(seq, sum);
      }
    }
    return this.#settled;
  }

  #between(seq: number): string | undefined {
    const candidates = this.#candidates(seq);
    const isNamed = candidates.some(({ claim }) => claim === "named");
    if (isNamed) return winner(candidates);
    return winner(
      candidates.map((each) => (this.#isRefuted(seq, each) ? { ...each, claim: "stray" } : each)),
    );
  }

  /** No record counts behind it. */
  #atEnd(seq: number): string | undefined {
    const { otherSums, lastSeq } = this.#found;
    const candidates = this.#candidates(seq);
    const inFiles = new Set(this.#present(seq).map(({ sum }) => sum));
    const sumBefore = this.#sumAt(seq - 1);
    const before = new Set(this.#recordsAt(seq - 1, sumBefore).flatMap(({ names }) => names));
    for (const sum of [...(sumBefore === undefined ? [] : [sumBefore]), ...(otherSums.get(seq - 1) ?? [])])
      before.add(sum);
    for (const { sum, follows } of this.#journaled.get(seq) ?? []) {
      if (!follows.some((each) => before.has(each))) continue;
      if (inFiles.has(sum)) candidates.push({ sum, claim: "resumed" });
      else if (seq > lastSeq) candidates.push({ sum, claim: "continuing" });
    }
    const after = new Set((this.#journaled.get(seq + 1) ?? []).flatMap(({ follows }) => follows));
    for (const sum of inFiles) if (after.has(sum)) candidates.push({ sum, claim: "resumed" });
    return winner(candidates);
  }

  /** Of the files, and those that the record behind them names. */
  #candidates(seq: number): Candidate[] {
    const candidates = this.#present(seq);
    const named = new Set(this.#recordsAt(seq + 1, this.#sumAt(seq + 1)).flatMap(({ follows }) => follows));
    for (const { sum } of this.#present(seq)) if (named.has(sum)) candidates.push({ sum, claim: "named" });
    for (const { sum, names } of this.#journaled.get(seq) ?? [])
      if (names.some((each) => named.has(each))) candidates.push({ sum, claim: "named" });
    return candidates;
  }

  /** Of the files. */
  #present(seq: number): Candidate[] {
    const standing = this.#found.standing.get(seq);
    const moved = (this.#found.refused.get(seq) ?? []).map((sum) => ({ sum, claim: "moved" as const }));
    return standing === undefined ? moved : [{ sum: standing.sum, claim: "standing" }, ...moved];
  }

  #sumAt(seq: number): string | undefined {
    return this.#settled.has(seq) ? this.#settled.get(seq) : this.#present(seq)[0]?.sum;
  }

  #recordsAt(seq: number, sum: string | undefined): readonly JournaledRecord[] {
    return (this.#journaled.get(seq) ?? []).filter((record) => record.sum === sum);
  }

  /**
   * The record behind it stands exactly where its journal has put it, and was written after a line that is gone. Neither
   * what stands in the place of that line now, nor a record from elsewhere, is the one that it was.
   */
  #isRefuted(seq: number, { claim }: Candidate): boolean {
    const behind = this.#found.standing.get(seq + 1);
    const others = this.#found.otherSums.get(seq);
    if (behind === undefined || behind.sum !== this.#sumAt(seq + 1)) return false;
    const isInPlace = this.#recordsAt(seq + 1, behind.sum).some(
      ({ file, offset, follows }) =>
        file === behind.file &&
        offset === behind.offset &&
        follows.length > 0 &&
        !follows.some((sum) => others?.has(sum) === true),
    );
    const standing = this.#found.standing.get(seq);
    const isAdjacent = standing?.file === behind.file && standing.offset + standing.bytes === behind.offset;
    return isInPlace && (isAdjacent || claim !== "standing");
  }
}

/** Of equal ones the first. `undefined`: none of them may have the place. */
function winner(candidates: readonly Candidate[]): string | undefined {
  const best = candidates.reduce<Candidate | undefined>(
    (one, each) => (one === undefined || outranks(each.claim, one.claim) ? each : one),
    undefined,
  );
  return best !== undefined && outranks(best.claim, "vacant") ? best.sum : undefined;
}
