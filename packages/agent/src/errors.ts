/**
 * The one error class of the agent. Every failure a caller can meet carries a code from a closed set, structured detail and a
 * message that says what to do. Failures of the store stay `LonghandError`s. docs/errors.md explains each code.
 */

export const AGENT_ERROR_CODES = [
  // kernel
  "ACTOR_STOPPED",
  "ACTOR_FAILED",
  "NO_ANSWER",
  "NAME_TAKEN",
  // models
  "MODEL_UNKNOWN",
  "MODEL_UNREACHABLE",
  "MODEL_BUSY",
  "MODEL_REFUSED",
  "MODEL_BROKEN",
  "MODEL_STALLED",
  "MODEL_EMPTY",
  "MODEL_OVERFLOW",
  // tools and skills
  "TOOL_REFUSED",
  "TOOL_FAILED",
  "SKILL_INVALID",
  // turns
  "STEP_LIMIT",
  "SAME_CALL",
  "CANCELLED",
  "TURN_FAILED",
  "TURN_INTERRUPTED",
  // the loop
  "AGENT_UNKNOWN",
  "LOOP_CLOSED",
  "OPTION_INVALID",
] as const;

/** Of what is told to `onProblem` and is no error of a call: the agent goes on nevertheless. docs/errors.md */
export const PROBLEM_CODES = [
  "ACTOR_CRASHED",
  "ACTOR_FAILED",
  "DAMAGE",
  "MEMORY_CLOSED",
  "MEMORY_LATE",
  "MODEL_NOTICE",
  "NOT_APPROVED",
  "NOT_KEPT",
  "SESSIONS_OLDER",
  "SESSIONS_FOREIGN",
  "SESSIONS_MIGRATED",
  "SINK_FAILED",
  "SKILL_INVALID",
  "UPKEEP_FAILED",
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

export type AgentErrorCode = (typeof AGENT_ERROR_CODES)[number];

export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly code: AgentErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: AgentErrorCode,
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
export function isAgentError(value: unknown, code?: AgentErrorCode): value is AgentError {
  if (!(value instanceof Error) || value.name !== "AgentError" || !("code" in value)) return false;
  return code === undefined || value.code === code;
}

/** Ends an exhaustive switch: a new member of a union becomes a compile error at each place that must know it. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case ${String(value)}`);
}
