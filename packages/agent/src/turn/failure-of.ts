/** Whatever was thrown in a turn, as a caller is told of it. */

import { isLonghandError } from "@longhand/store";
import { isAgentError } from "../errors.ts";
import type { TurnFailure } from "./turn-log.ts";

export function failureOf(error: unknown, redact: (text: string) => string): TurnFailure {
  const message = redact(error instanceof Error ? error.message : String(error));
  if (isAgentError(error) || isLonghandError(error)) return { code: error.code, message };
  return { code: "TURN_FAILED", message };
}
