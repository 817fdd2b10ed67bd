/** What a child process is asked to do, and what it answers. */

import type { DataSet } from "./data-set.ts";
import type { Sizes } from "./sizes.ts";
import type { Facts, Measured } from "./workload.ts";

interface OfCandidate {
  readonly candidate: string;
}

interface OfWorkload extends OfCandidate {
  readonly workload: string;
  readonly sizes: Sizes;
  readonly directory: string;
  readonly point: number;
  /** How many messages the session of a sweep has. */
  readonly messages: number;
}

export type Task =
  /** Loads the candidate: answers whether it is installed and works here. */
  | (OfCandidate & { readonly kind: "probe" })
  | (OfCandidate & { readonly kind: "build"; readonly directory: string; readonly data: DataSet })
  | (OfWorkload & { readonly kind: "measure" })
  | (OfWorkload & { readonly kind: "verify"; readonly facts: Facts });

export type Answer =
  | { readonly kind: "done"; readonly measured?: Measured }
  /** The candidate lost, changed or invented something. */
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };
