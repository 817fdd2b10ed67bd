/** What a case of the conformance suite is, and what it is given to work with. */

import type { Store, StoreOptions } from "../contract/types.ts";
import type { Watching } from "./watching.ts";

/** The names of store/backend.ts, told one by one: its type allows others too. */
export type CapabilityName = "durable" | "flatAppend" | "archive" | "fork" | "manyWriters" | "readOnly";

export interface ConformanceCase {
  readonly title: string;
  /** Without all of these the case is skipped. */
  readonly needs?: readonly CapabilityName[];
  /** With this capability the case is skipped: it shows how the lack of it is told. */
  readonly lacks?: CapabilityName;
  run(context: CaseContext): Promise<void>;
}

export interface CaseContext extends Watching {
  /** Open on a backend that nobody has used before. */
  readonly store: Store;
  /** Closes the store and opens the same place anew. */
  readonly reopen: (options?: StoreOptions) => Promise<Store>;
  /** Opens the same place a second time, beside what is open already. */
  readonly openBeside: (options: StoreOptions) => Promise<Store>;
}
