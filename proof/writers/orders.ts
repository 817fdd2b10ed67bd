import type { Write } from "./operation.ts";

/** What a writer process is told, in one line of JSON, when it is to begin. */
export interface Orders {
  readonly directory: string;
  /** No two writers of a history have the same. */
  readonly life: number;
  readonly seed: number;
  /** It writes to all of them at once. */
  readonly keys: readonly string[];
  /** What an earlier writer was not answered for: it is written first, by its old id. */
  readonly again: readonly Write[];
  readonly segmentBytes: number;
  readonly journalBytes: number;
  readonly longText: number;
  readonly hugeText: number;
  /** All but the first are controls, which must lose data. */
  readonly conduct: "honest" | "answers-early" | "never-syncs" | "believes-short-writes";
}
