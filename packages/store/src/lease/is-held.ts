import type { LeaseFiles } from "./lease-files.ts";
import type { OtherInstances } from "./other-instances.ts";
import type { LeaseName } from "../format/layout.ts";

/** Does somebody hold this lease who lives, or may live? Reads only. */
export async function isHeld(
  leaseFiles: LeaseFiles,
  otherInstances: OtherInstances,
  leaseName: LeaseName,
): Promise<boolean> {
  for (;;) {
    const newest = (await leaseFiles.readRow(leaseName)).epochs.at(-1);
    if (newest === undefined) return false;
    const holder = await leaseFiles.readHolder(leaseName, newest);
    if (holder.kind === "gone") continue;
    if (holder.kind === "unclear") return await otherInstances.mayLiveBeside("");
    if (holder.kind === "free") return false;
    const { liveness } = await otherInstances.look(holder.instance);
    return liveness === "alive" || liveness === "unproven";
  }
}
