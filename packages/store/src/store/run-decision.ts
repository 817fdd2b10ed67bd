import type { Entry } from "../format/entry.ts";
import type { SessionState } from "../format/fold.ts";
import { toEntries } from "../format/to-entries.ts";
import type { EntryReader, Operation } from "../contract/backend.ts";

export type Outcome =
  | { readonly kind: "add"; readonly entries: readonly Entry[] }
  /** There is nothing to write; the answer is this seq. */
  | { readonly kind: "answer"; readonly seq: number };

/** Decides and gives the result its seqs: for backends that hold a whole session in memory. */
export async function runDecision(
  operation: Operation,
  state: SessionState,
  log: EntryReader,
  at: string,
): Promise<Outcome> {
  const decision = operation.reads ? await operation.decide(state, log) : operation.decide(state);
  if ("already" in decision) return { kind: "answer", seq: decision.already };
  if (decision.add.length === 0) return { kind: "answer", seq: state.seq };
  return { kind: "add", entries: toEntries(state, decision.add, decision.id, at, decision.times) };
}
