import type { LeaseFiles } from "./lease-files.ts";
import type { Neighbours } from "./neighbours.ts";
import type { LeaseName } from "../files/layout.ts";

/** Does somebody hold this lease who lives, or may live? Reads only. */
export async function isHeld(
  leaseFiles: LeaseFiles,
  neighbours: Neighbours,
  leaseName: LeaseName,
): Promise<boolean> {
  for (;;) {
    const newest = (await leaseFiles.readRow(leaseName)).epochs.at(-1);
    if (newest === undefined) return false;
    const holder = await leaseFiles.readHolder(leaseName, newest);
    if (holder.kind === "gone") continue;
    if (holder.kind === "unclear") return await neighbours.mayLiveBeside("");
    if (holder.kind === "free") return false;
    const { liveness } = await neighbours.look(holder.instance);
    return liveness === "alive" || liveness === "unproven";
  }
}
