/** Takes compactions back, and says what they stand for. */

import { isLonghandError } from "../../errors.ts";
import type { Session } from "../../contract/types.ts";
import { compactionBefore, currentCompaction, type CompactionInForce } from "./current-compaction.ts";

/** What a summary stands for: the messages with these seqs, and what the summary before it stood for. */
export interface ExplainedCompaction {
  readonly seq: number;
  readonly at: string;
  readonly summary: string;
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  readonly by: "model" | "no-model";
}

/** The newest first. Empty: the view is not compacted, or by a program that has not noted it. */
export async function explainCompaction(session: Session): Promise<readonly ExplainedCompaction[]> {
  const explained: ExplainedCompaction[] = [];
  let compaction = await currentCompaction(session);
  while (compaction !== undefined) {
    explained.push(explain(compaction));
    compaction = await compactionBefore(session, compaction);
  }
  return explained;
}

/**
 * What the compaction in force has hidden is seen again, with the summary before it; what came since stays. Answers with
 * what was undone; `undefined`: there was nothing to undo, or the view was cut again or replaced since, which must be taken
 * back first, and nothing was written.
 */
export async function undoCompaction(session: Session): Promise<ExplainedCompaction | undefined> {
  const current = await currentCompaction(session);
  if (current === undefined) return undefined;
  try {
    await session.undoCut(current.seq);
  } catch (error) {
    // Its record is there: what can be wrong with it is only that another decides what is seen.
    if (isLonghandError(error, "OPTION_INVALID")) return undefined;
    throw error;
  }
  return explain(current);
}

function explain({ seq, at, summary, from, to, messages, by }: CompactionInForce): ExplainedCompaction {
  return { seq, at, summary, from, to, messages, by };
}
