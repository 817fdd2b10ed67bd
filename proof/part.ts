/**
 * One part of the proof: a way of hurting a store, and a judge of what is left. The work of a part is cut into slices.
 * All that happens in a slice follows from its seed and its number, so that a slice can be run again alone; parts that
 * use real processes and disks say in their head what is left to chance.
 */

export interface Part {
  /** In kebab-case; it is also what the part is called on the command line. */
  readonly name: string;
  /** For the table: "Simulated crashes". */
  readonly title: string;
  /** What it counts, and how much of each the gate must reach. */
  readonly counts: Readonly<Record<string, number>>;
  /** The gate runs slices 0 to `gateSlices` - 1, each once. A long run goes on from there, if `weight` is not 0. */
  readonly gateSlices: number;
  /** Of these, the slices that the quick gate runs. @default the first */
  readonly quickSlices?: readonly number[];
  /** Its share of the time of a long run, against those of the others. */
  readonly weight: number;
  /** Real processes and disks: the same slice again searches in the same neighbourhood, but need not find the same. */
  readonly isLeftToChance?: boolean;
  /** Everything in a slice is drawn from its seed: nothing is met for certain, so no mutant may name it. */
  readonly isDrawn?: boolean;
  /** What this machine lacks for it, in words for a person; `undefined`: nothing. */
  readonly obstacle: () => Promise<string | undefined>;
  /** Throws a `Violation` at the first promise that was not kept. Takes less than a minute. */
  readonly run: (slice: Slice, findings: Findings) => Promise<void>;
  /** The same search where a step is left out. It must throw a `Violation`, or the part proves nothing. */
  readonly control: (findings: Findings) => Promise<void>;
}

export interface Slice {
  /** Of the whole run; different slices of one run have the same. */
  readonly seed: number;
  readonly number: number;
  /** Leave out what is drawn by chance: for a search that must find the same with every seed. @default false */
  readonly isFixedOnly?: boolean;
}

export interface Findings {
  /** `name` is one of the part's counts. */
  readonly count: (name: string, by?: number) => void;
  /** Counts each fingerprint (64 bits) once over all slices of a run, however often it is met. */
  readonly distinct: (name: string, fingerprint: bigint) => void;
  /** A line for the end of the run, below the table. */
  readonly note: (line: string) => void;
}

/** A promise was not kept. The message says which, where, and how it came to be, step by step. */
export class Violation extends Error {
  override readonly name = "Violation";
}
