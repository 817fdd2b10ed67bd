/** The error of those who have waited in vain: it names who is in the way, and what to do. */

import { LonghandError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";
import type { Liveness } from "./liveness-rule.ts";

/** Who is in the way: has the lease, is before us in line, or is this store itself. */
export type Blocker =
  | {
      readonly what: "holder" | "waiting";
      readonly owner: InstanceDescription | undefined;
      readonly liveness: Liveness;
      /** When it took the lease. */
      readonly since?: string;
    }
  /** The lease does not say. */
  | { readonly what: "unclear" }
  | { readonly what: "this store"; readonly owner: InstanceDescription };

export function sessionLocked(host: Host, key: string, waited: number, blocker: Blocker): LonghandError {
  const session = JSON.stringify(key);
  if (blocker.what === "unclear") {
    const message =
      `the session ${session} is held by a process that its lease does not name, since another version of Longhand wrote it or it is damaged, and ${waited} ms have passed; ` +
      "close the store in the other processes, or update this one. It can be read meanwhile";
    return new LonghandError("SESSION_LOCKED", message, { key, liveness: "unproven" });
  }
  const { owner } = blocker;
  const liveness = blocker.what === "this store" ? "alive" : blocker.liveness;
  const since = (blocker.what === "holder" ? blocker.since : undefined) ?? owner?.since;
  const what = blocker.what === "waiting" ? "is waited for" : "is held";
  const message =
    `the session ${session} ${what} by ${describeOwner(host, owner)} since ${since}${doubt(liveness)}, and ${waited} ms have passed; ` +
    `wait longer, or close it there${remedy(liveness)}. It can be read meanwhile`;
  return new LonghandError("SESSION_LOCKED", message, {
    key,
    pid: owner?.pid,
    host: owner?.host,
    since,
    liveness,
  });
}

/** What a dead instance has left is being recovered by another, who does not get on. */
export function recoveryLocked(
  host: Host,
  directory: string,
  waited: number,
  owner: InstanceDescription | undefined,
  liveness: Liveness,
): LonghandError {
  const message =
    `what a dead process has left in ${directory} is being recovered by ${describeOwner(host, owner)}${doubt(liveness)}, and ${waited} ms have passed; ` +
    `wait longer, or end that process${remedy(liveness)}. With readOnly the store can be read meanwhile`;
  const { pid, host: machine, since } = owner ?? {};
  return new LonghandError("SESSION_LOCKED", message, { directory, pid, host: machine, since, liveness });
}

function describeOwner(host: Host, owner: InstanceDescription | undefined): string {
  if (owner === undefined) return "a process that does not say who it is";
  const { self } = host.processes;
  const itself = owner.pid === self.pid && owner.host === self.host ? " (this one)" : "";
  return `process ${owner.pid} on ${owner.host}${itself}`;
}

function doubt(liveness: Liveness): string {
  return liveness === "unproven" ? " (whether it still runs cannot be told from here)" : "";
}

function remedy(liveness: Liveness): string {
  return liveness === "unproven" ? "; if you know that it has ended, run: longhand doctor" : "";
}
