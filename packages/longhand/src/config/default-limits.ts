/**
 * The default limits of `@longhand/store/context`, for the schema and for help texts. Copies, because loading the store for two
 * numbers would slow every command; a test compares them.
 */

export const DEFAULT_CONTEXT_TOKENS = 32_000;

export const DEFAULT_HISTORY_MESSAGES = 50;
