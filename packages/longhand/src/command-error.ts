/** What a command itself finds wrong, as opposed to the store. Each code has its exit code in explain-error.ts. */

export type CommandErrorCode =
  | "USAGE_INVALID"
  | "INPUT_INVALID"
  | "KEY_UNKNOWN"
  | "KEY_AMBIGUOUS"
  | "NOTHING_TO_UNDO"
  | "FILE_EXISTS"
  | "FILE_FAILED"
  | "TOUR_FAILED";

export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: CommandErrorCode;
  /** Only what a program that reads `--json` can use. */
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: CommandErrorCode,
    message: string,
    detail: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
  }
}
