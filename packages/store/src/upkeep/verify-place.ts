/** What verifying needs to know of others: who may be writing while it reads. */

import type { FileSystem } from "../host/host.ts";
import type { Damage } from "../format/session-record.ts";
import { isHeld } from "../lease/is-held.ts";
import { leaseNameOf, type Layout } from "../format/layout.ts";
import { LeaseFiles } from "../lease/lease-files.ts";
import { listInstances, type OtherInstances } from "../lease/other-instances.ts";
import type { ReadPlace } from "../engine/reading/read-session.ts";
import type { VerifyStorePlace } from "./verify-store.ts";

export interface VerifyDeps {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly otherInstances: OtherInstances;
  /** What dead instances have acknowledged, and what is wrong with their journals. */
  readonly patchesOf: ReadPlace["patchesOf"];
  readonly journalDamage: readonly Damage[];
  readonly recordsWithoutFile: VerifyStorePlace["recordsWithoutFile"];
  /** The instance that verifies, if it is one, and whether it is forking a session itself. */
  readonly self: { readonly instance: string; isForking(): boolean } | undefined;
}

export function verifyPlace(deps: VerifyDeps): VerifyStorePlace {
  const { files, layout, otherInstances, patchesOf, journalDamage, recordsWithoutFile, self } = deps;
  const leaseFiles = new LeaseFiles(files, layout, "");
  return {
    files,
    layout,
    patchesOf,
    journalDamage: async () => await Promise.resolve(journalDamage),
    recordsWithoutFile,
    mayBeGrowing: async (key) => await isHeld(leaseFiles, otherInstances, leaseNameOf(key)),
    mayBeForking: async () => {
      if (self?.isForking() === true) return true;
      for (const instance of await listInstances(files, layout)) {
        if (instance === self?.instance) continue;
        const { liveness } = await otherInstances.look(instance);
        if (liveness === "alive" || liveness === "unproven") return true;
      }
      return false;
    },
  };
}
