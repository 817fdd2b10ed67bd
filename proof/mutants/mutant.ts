/** A mistake that somebody could make in the store: a patch of one file, what goes by it, and what should notice. */

export interface Mutant {
  /** In kebab-case, of what the store does wrong. */
  readonly name: string;
  /** Which promise goes, and when. */
  readonly breaks: string;
  /** Below packages/store/src. */
  readonly file: string;
  /** Each text to find is there exactly once. */
  readonly edits: readonly Edit[];
  /** Must notice it, without what the part draws by chance. */
  readonly caughtBy: PartSlice;
}

export interface Edit {
  readonly find: string;
  readonly replace: string;
}

export interface PartSlice {
  readonly part: string;
  readonly slice: number;
  /** Which search it is, where the part has named ones. */
  readonly what?: string;
}
