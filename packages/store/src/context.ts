/** `@longhand/store/context`: what the model sees. docs/context.md */

import {
  compactSession as compact,
  type CompactOptions,
  type Compaction,
} from "./context/compaction/compact-session.ts";
import { nodeHost } from "./host/node-host.ts";
import type { Message } from "./format/message.ts";
import type { Session } from "./contract/types.ts";

/** Replaces the oldest turns of what the model sees by a summary, if there are too many; everything stays in the log. */
export async function compactSession<M extends Message>(
  session: Session<M>,
  options?: CompactOptions,
): Promise<Compaction> {
  return await compact(nodeHost, session, options);
}

export { DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES } from "./context/context-defaults.ts";
export { buildContext } from "./context/window/build-context.ts";
export { contextUsage } from "./context/window/context-usage.ts";
export { contextOverflow, type ContextOverflow } from "./context/overflow/overflow.ts";
export { fenced } from "./context/fenced.ts";
export { estimateTokens } from "./context/tokens/estimate-tokens.ts";
export {
  estimatorNamed,
  fourCharacterEstimator,
  standardEstimator,
  tokensOfTools,
  twoAndAHalfCharacterEstimator,
} from "./context/tokens/estimators.ts";
export {
  explainCompaction,
  undoCompaction,
  type ExplainedCompaction,
} from "./context/compaction/undo-compaction.ts";
export { pinMessage, pins, unpinMessage } from "./context/pins.ts";
export { repairHistory } from "./context/repair/repair-history.ts";
export { correctionOf, reportUsage, type UsageReport } from "./context/tokens/token-correction.ts";
export { turnsOf, type LoggedMessage, type Turn } from "./context/turns.ts";
export type {
  Compacted,
  Compaction,
  CompactOptions,
  NotCompacted,
} from "./context/compaction/compact-session.ts";
export type { Weight } from "./context/compaction/compaction-plan.ts";
export type {
  AskModel,
  Context,
  ContextOptions,
  ContextUsage,
  HistoryRepair,
  OmittedMessages,
  SeqRange,
  Question,
  Shortened,
  TokenEstimator,
  ToolSchema,
} from "./context/types.ts";
