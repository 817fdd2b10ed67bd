/**
 * A record inside the store. The meaning of each body is docs/format.md's; the state of a session is a fold over its
 * entries (fold.ts). A message and a note's data stay JSON text until a caller asks for them: most reads never look
 * inside, and what was written is what is given back.
 */

/** An inclusive range of seqs. */
export type SeqRange = readonly [first: number, last: number];

export type Body =
  | { readonly op: "message"; readonly json: string }
  | { readonly op: "summary"; readonly summary: string }
  | { readonly op: "truncate"; readonly keepFrom: number; readonly count: number }
  | {
      readonly op: "rewind";
      readonly to: number;
      readonly count: number;
      /** Present when the rewind undoes more than the tail: the view it goes back to (fold.ts). */
      readonly view?: RewoundView;
    }
  | { readonly op: "compact"; readonly summary: string; readonly keepFrom: number; readonly count: number }
  | { readonly op: "reset"; readonly summary?: string }
  | { readonly op: "meta"; readonly title?: string; readonly tags?: readonly string[] }
  | { readonly op: "note"; readonly kind: string; readonly json: string }
  /** From a newer version: kept and passed over. `json` is the whole line. */
  | { readonly op: "unknown"; readonly json: string };

export interface RewoundView {
  readonly keepFrom: number;
  readonly kept: readonly SeqRange[];
  readonly summary: string;
}

/** Position in an atomic batch: this is number `index` (from 1) of `size`. */
export interface BatchPosition {
  readonly index: number;
  readonly size: number;
}

export interface Entry {
  readonly seq: number;
  readonly at: string;
  /** The caller's id of the append; on the first entry of a batch. */
  readonly id?: string;
  readonly batch?: BatchPosition | undefined;
  readonly body: Body;
}
