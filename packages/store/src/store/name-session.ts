import { isLonghandError, LonghandError } from "../errors.ts";

/** Whoever reads the error in a log sees which session it was. */
export function nameSession(error: unknown, key: string, place = ""): unknown {
  if (!isLonghandError(error) || "key" in error.detail) return error;
  const message = `session ${JSON.stringify(key)}${place}: ${error.message}`;
  return new LonghandError(error.code, message, { ...error.detail, key }, error.cause);
}
