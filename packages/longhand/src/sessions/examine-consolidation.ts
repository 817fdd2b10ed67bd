/** Which conversations wait to be taken into the memory, for `longhand doctor`: those that failed or wait too long are problems. A turn without an answer is none. */

import { type DueSession, readDueSessions } from "@longhand/store/memory";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import type { Problem } from "./find-problems.ts";

/** A program that runs every day catches up within it. */
const OVERDUE_MS = 24 * 60 * 60 * 1000;
const SHOWN = 5;

export interface ExaminedConsolidation {
  readonly waiting: number;
  /** With nothing left but a last turn that has no answer. */
  readonly open: number;
  readonly problems: readonly Problem[];
}

export async function examineConsolidation(
  directory: string,
  now: number,
  toPaste: ToPaste,
): Promise<ExaminedConsolidation> {
  let due: readonly DueSession[];
  try {
    due = await readDueSessions(directory);
  } catch (error) {
    // Why it cannot be read is told of the store itself.
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `it cannot be read which conversations wait for the memory: ${reason}`;
    return {
      waiting: 0,
      open: 0,
      problems: [{ problem, remedy: `mend what it names, then: ${toPaste("doctor")}` }],
    };
  }
  const waiting = due.filter(({ hasOpenTurn }) => hasOpenTurn !== true);
  const late = waiting.filter(({ failures, since }) => failures > 0 || now - Date.parse(since) > OVERDUE_MS);
  const remedy = `consolidate now and see what the model says: ${toPaste("memory consolidate")}`;
  const problems = late.slice(0, SHOWN).map((due) => ({ problem: describe(due), remedy }));
  const more = late.length - SHOWN;
  if (more > 0)
    problems.push({ problem: `${countOf(more, "more conversation")} not in the memory yet`, remedy });
  return { waiting: waiting.length, open: due.length - waiting.length, problems };
}

function describe({ key, since, failures, failedAt, failure }: DueSession): string {
  const begun = `what was said in ${escapeKey(key)} since ${since} is not in the memory yet`;
  if (failure === undefined) return `${begun}: no program with a model has run for long enough since then`;
  return `${begun}: ${countOf(failures, "try", "tries")} failed, the last at ${failedAt ?? "?"}: ${failure}`;
}
