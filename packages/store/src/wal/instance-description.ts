/** Who an instance is: in the head of its journal, so that whoever finds the journal can judge whether it lives. */

import type { ProcessIdentity } from "../host/host.ts";
import { isCount } from "../format/is-count.ts";
import { isId, type Id } from "../format/session-id.ts";

export interface InstanceDescription extends ProcessIdentity {
  readonly instance: Id;
  readonly since: string;
  /** It listens on its socket. False where the path is too long for one. */
  readonly listens: boolean;
  /** The type of the file system on which it sees its journal. Earlier versions did not say. */
  readonly fileSystem: string | undefined;
}

export function parseInstanceDescription(
  value: Readonly<Record<string, unknown>>,
): InstanceDescription | undefined {
  const { instance, since, listens, fileSystem, pid, host, startTime, bootId, pidNamespace, timeNamespace } =
    value;
  if (!isId(instance) || typeof since !== "string" || typeof listens !== "boolean") return undefined;
  if (!isCount(pid) || pid === 0 || typeof host !== "string") return undefined;
  return {
    instance,
    since,
    listens,
    fileSystem: optionalText(fileSystem),
    pid,
    host,
    startTime: optionalText(startTime),
    bootId: optionalText(bootId),
    pidNamespace: optionalText(pidNamespace),
    timeNamespace: optionalText(timeNamespace),
  };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
