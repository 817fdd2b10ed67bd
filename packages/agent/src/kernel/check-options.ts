/** Options of an actor are checked before anything is made: a bad one changes nothing. */

import { AgentError } from "../errors.ts";
import type { SpawnOptions } from "./types.ts";

export function checkSpawnOptions({ name, mailbox, messageLimit, supervision = {} }: SpawnOptions): void {
  if (typeof name !== "string" || name === "") throw invalid("name", name, "a name that is not empty");
  checkNumber("mailbox", mailbox, 1, "whole");
  checkNumber("messageLimit", messageLimit, 0, "any");
  checkNumber("supervision.mostCrashes", supervision.mostCrashes, 1, "whole");
  checkNumber("supervision.within", supervision.within, 0, "any");
  checkNumber("supervision.firstPause", supervision.firstPause, 0, "any");
  checkNumber("supervision.longestPause", supervision.longestPause, 0, "any");
}

/** Milliseconds within which something is to be over; Infinity is allowed. */
export function checkWithin(within: number | undefined): void {
  checkNumber("within", within, 0, "any");
}

function checkNumber(option: string, value: number | undefined, least: number, kind: "whole" | "any"): void {
  if (value === undefined) return;
  if (value >= least && (kind === "any" || Number.isSafeInteger(value))) return;
  throw invalid(option, value, `a ${kind === "whole" ? "whole " : ""}number from ${least} on`);
}

function invalid(option: string, value: unknown, expected: string): AgentError {
  return new AgentError("OPTION_INVALID", `${option} must be ${expected}, not ${String(value)}`, { option });
}
