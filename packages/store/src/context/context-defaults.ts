/** Limits where none are given: for building a context, for compaction and for an agent's turn. */

/** Tokens of a whole request, the answer included. */
export const DEFAULT_CONTEXT_TOKENS = 32_000;

/** Messages in the view. */
export const DEFAULT_HISTORY_MESSAGES = 50;
