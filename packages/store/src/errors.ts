/**
 * The one error class of Longhand. Every failure a caller can meet carries a code from a closed set, structured
 * detail (file, key, offset …) and a message that says what to do. docs/errors.md explains each code.
 */

export const LONGHAND_ERROR_CODES = [
  "OPTION_INVALID",
  "KEY_INVALID",
  "MESSAGE_INVALID",
  "MESSAGE_TOO_LARGE",
  "SEQ_CONFLICT",
  "ID_CONFLICT",
  "SESSION_EXISTS",
  "SESSION_NOT_FOUND",
  "SESSION_LOCKED",
  "SESSION_DAMAGED",
  "SESSION_CHANGED",
  "RECORD_DROPPED",
  "STORE_CLOSED",
  "STORE_FAILED",
  "STORE_READ_ONLY",
  "DIRECTORY_UNSAFE",
  "FORMAT_TOO_NEW",
  "DISK_FULL",
  "IO_FAILED",
] as const;

export type LonghandErrorCode = (typeof LONGHAND_ERROR_CODES)[number];

export class LonghandError extends Error {
  override readonly name = "LonghandError";
  readonly code: LonghandErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: LonghandErrorCode,
    message: string,
    detail: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
  }
}

/** By name and code, so that it also holds where a program has two copies of this package installed. */
export function isLonghandError(value: unknown, code?: LonghandErrorCode): value is LonghandError {
  if (!(value instanceof Error) || value.name !== "LonghandError" || !("code" in value)) return false;
  return code === undefined || value.code === code;
}

/** Ends an exhaustive switch: a new member of a union becomes a compile error at each place that must know it. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case ${String(value)}`);
}
