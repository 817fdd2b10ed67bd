/** What a command itself finds wrong, as opposed to the store. Each code has its exit code in explain-error.ts. */

export const COMMAND_ERROR_CODES = [
  "USAGE_INVALID",
  "INPUT_INVALID",
  "CONFIG_INVALID",
  "KEY_UNKNOWN",
  "KEY_AMBIGUOUS",
  "SESSION_DAMAGED",
  "SESSION_EXISTS",
  "ENTRY_UNKNOWN",
  "ENTRY_AMBIGUOUS",
  "LEASE_IN_USE",
  "MIGRATION_FAILED",
  "MOVE_REFUSED",
  "NOT_CONFIRMED",
  "NOTHING_TO_UNDO",
  "SESSIONS_UNREADABLE",
  "STORE_NOT_FOUND",
  "FILE_EXISTS",
  "FILE_FAILED",
  "TOUR_FAILED",
  "WORKSPACE_UNKNOWN",
] as const;
export type CommandErrorCode = (typeof COMMAND_ERROR_CODES)[number];

export interface CommandErrorFacts {
  /** Only what a program that reads `--json` can use. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** A command that helps, on a line of its own so that it can be pasted. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: CommandErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly remedy: string | undefined;

  constructor(code: CommandErrorCode, message: string, facts: CommandErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.detail = facts.detail ?? {};
    this.remedy = facts.remedy;
  }
}
