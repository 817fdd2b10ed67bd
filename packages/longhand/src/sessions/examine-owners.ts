/** Looks for the processes that have a store open for writing, for `longhand doctor`. Changes nothing. */

import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { StoreOwner } from "@longhand/store";
import type { ExaminedOwner } from "./owners.ts";

export async function examineOwners(directory: string): Promise<readonly ExaminedOwner[]> {
  const { findOwners } = await import("@longhand/store");
  const owners = await findOwners(directory);
  return await Promise.all(owners.map(async (owner) => ({ ...owner, isStopped: await isStopped(owner) })));
}

/** Known on Linux only; elsewhere a stopped process is one that runs. */
export async function isStopped({
  liveness,
  pid,
  host,
}: Pick<StoreOwner, "liveness" | "pid" | "host">): Promise<boolean> {
  if (liveness !== "alive" || host !== hostname()) return false;
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // After the name, which is in brackets and may hold anything.
    return /^\) [Tt] /.test(text.slice(text.lastIndexOf(")")));
  } catch {
    // No such file system, or it ended at this moment: nothing to say about it.
    return false;
  }
}
