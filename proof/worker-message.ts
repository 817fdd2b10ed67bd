/** What a worker and the run that has started it tell each other. */

/** The last argument of a worker that leaves out what is drawn by chance. */
export const FIXED_ONLY = "fixed";

export type WorkerMessage =
  | {
      readonly kind: "counted";
      readonly counts: Readonly<Record<string, number>>;
      /** By the name of the count: fingerprints that are new to this worker. */
      readonly distinct: Readonly<Record<string, BigUint64Array>>;
    }
  | { readonly kind: "note"; readonly line: string }
  | { readonly kind: "ended"; readonly outcome: Outcome };

export type Outcome =
  | { readonly kind: "kept" }
  | { readonly kind: "violated"; readonly story: string }
  /** The part itself failed: nothing is known about the store. */
  | { readonly kind: "failed"; readonly story: string };
