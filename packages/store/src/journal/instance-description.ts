/** Who an instance is: in the head of its journal, so that whoever finds the journal can judge whether it lives. */

import type { ProcessIdentity } from "../host/host.ts";

export interface InstanceDescription extends ProcessIdentity {
  readonly instance: string;
  readonly since: string;
  /** It listens on its socket. False where the path is too long for one. */
  readonly listens: boolean;
}

export function parseInstanceDescription(
  value: Readonly<Record<string, unknown>>,
): InstanceDescription | undefined {
  const { instance, since, listens, pid, host, startTime, bootId, pidNamespace } = value;
  if (typeof instance !== "string" || typeof since !== "string" || typeof listens !== "boolean")
    return undefined;
  if (typeof pid !== "number" || typeof host !== "string") return undefined;
  return {
    instance,
    since,
    listens,
    pid,
    host,
    startTime: optionalText(startTime),
    bootId: optionalText(bootId),
    pidNamespace: optionalText(pidNamespace),
  };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
