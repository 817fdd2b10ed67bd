/** What verifying needs to know of others: who may be writing while it reads. */

import type { FileSystem } from "../../../host/host.ts";
import type { Damage } from "../../../record/session-record.ts";
import { isHeld } from "../leases/is-held.ts";
import { leaseNameOf, type Layout } from "../files/layout.ts";
import { LeaseFiles } from "../leases/lease-files.ts";
import { listInstances, type Neighbours } from "../leases/neighbours.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import type { VerifyStorePlace } from "./verify-store.ts";

export interface VerifySurroundings {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly neighbours: Neighbours;
  /** What dead instances have acknowledged, and what is wrong with their journals. */
  readonly patchesOf: ReadPlace["patchesOf"];
  readonly journalDamage: readonly Damage[];
  /** The instance that verifies, if it is one, and whether it is forking a session itself. */
  readonly self: { readonly instance: string; isForking(): boolean } | undefined;
}

export function verifyPlace(around: VerifySurroundings): VerifyStorePlace {
  const { files, layout, neighbours, patchesOf, journalDamage, self } = around;
  const leaseFiles = new LeaseFiles(files, layout, "");
  return {
    files,
    layout,
    patchesOf,
    journalDamage: async () => await Promise.resolve(journalDamage),
    mayBeGrowing: async (key) => await isHeld(leaseFiles, neighbours, leaseNameOf(key)),
    mayBeForking: async () => {
      if (self?.isForking() === true) return true;
      for (const instance of await listInstances(files, layout)) {
        if (instance === self?.instance) continue;
        const { liveness } = await neighbours.look(instance);
        if (liveness === "alive" || liveness === "unproven") return true;
      }
      return false;
    },
  };
}
