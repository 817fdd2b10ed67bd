/** Where reports go that nobody asked for: the warnings of the process. */

import { isLonghandError, LonghandError } from "../errors.ts";
import type { Damage } from "../format/session-record.ts";

export function warnOfDamage({ file, offset, kind, reason }: Damage): void {
  process.emitWarning(`${file}: ${kind} at byte ${offset}: ${reason}`, "LonghandDamage");
}

export function warnOfError(error: LonghandError): void {
  process.emitWarning(error.message, "LonghandError", error.code);
}

export function warnOfForeign(files: readonly string[]): void {
  const [first = ""] = files;
  const more = files.length === 1 ? "" : ` and ${files.length - 1} more`;
  process.emitWarning(
    `left alone, since they look like sessions of another program: ${first}${more}. To take them over: longhand migrate DIRECTORY, or openStore(directory, { migrate: true })`,
    "LonghandForeign",
  );
}

/** Takes whatever was thrown. A handler that throws itself must not fail the call that reports: it becomes a warning. */
export function reportTo(onError: (error: LonghandError) => void): (error: unknown) => void {
  return (error) => {
    const failure = toLonghandError(error);
    try {
      onError(failure);
    } catch {
      warnOfError(failure);
    }
  };
}

export function toLonghandError(error: unknown): LonghandError {
  if (isLonghandError(error)) return error;
  return new LonghandError("STORE_FAILED", `the store failed: ${String(error)}`, {}, error);
}
