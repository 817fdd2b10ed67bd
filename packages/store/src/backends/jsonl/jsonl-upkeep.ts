/** Verifying, repairing and reclaiming, for an instance that has the directory open for writing. */

import type { SessionLog } from "../../log/session-log.ts";
import { fileNameOf, SESSION_SUFFIX } from "../../record/key.ts";
import type { Upkeep } from "../../store/backend.ts";
import { estimateReclaim } from "./estimate-reclaim.ts";
import { readHeader } from "./find-session-file.ts";
import type { Lease } from "./leases.ts";
import { reclaimStore } from "./reclaim-store.ts";
import type { ReadPlace } from "./read-session.ts";
import { repairStore, type RepairPlace } from "./repair-store.ts";
import type { SealSurroundings } from "./seal-session.ts";
import type { Tenure } from "./tenure.ts";
import { verifyStore, type VerifyStorePlace } from "./verify-store.ts";

export interface UpkeepSurroundings {
  readonly sealing: SealSurroundings;
  now(): string;
  place(): Promise<ReadPlace>;
  verifyPlace(place: ReadPlace): VerifyStorePlace;
  /** Runs the task while this instance alone may write to the key. */
  alone(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void>;
  /** The key of a lease that this instance holds. */
  keyOf(leaseName: string): string | undefined;
  /** For a session whose key cannot be read. */
  takeLease(leaseName: string): Promise<Lease>;
}

export function jsonlUpkeep(around: UpkeepSurroundings): Upkeep {
  const { sealing } = around;
  const now = (): string => around.now();
  return {
    verify: async (options) => await verifyStore(around.verifyPlace(await around.place()), options),
    repair: async (options) => {
      const place = around.verifyPlace(await around.place());
      return await repairStore({ ...place, ...repairing(around) }, options);
    },
    reclaim: async (options) => {
      if (options.dryRun) return await estimateReclaim(await around.place(), options);
      return await reclaimStore(await around.place(), options, async (key, task) => {
        await around.alone(key, async (tenure) => {
          const replace = async (log: SessionLog): Promise<void> => await tenure.setLog(log);
          await task({ ...sealing, now, replace }, tenure.log);
        });
      });
    },
  };
}

function repairing(around: UpkeepSurroundings): Pick<RepairPlace, "alone" | "around"> {
  const surroundings = { ...around.sealing, now: () => around.now() };
  return {
    around: surroundings,
    alone: async (activeName, task) => {
      const leaseName = activeName.slice(0, -SESSION_SUFFIX.length);
      const key = around.keyOf(leaseName) ?? (await keyIn(around, activeName));
      if (key !== undefined) {
        await around.alone(key, async (tenure) => {
          if (tenure.log !== undefined) await around.sealing.settle(tenure.log);
          await tenure.setLog(undefined);
          await task(surroundings);
        });
        return;
      }
      const lease = await around.takeLease(leaseName);
      try {
        await task(surroundings);
      } finally {
        await lease.giveUp();
      }
    },
  };
}

/** Whose session it is, if its header says so and is right about it. */
async function keyIn({ sealing }: UpkeepSurroundings, activeName: string): Promise<string | undefined> {
  const key = (await readHeader(sealing.files, `${sealing.layout.directory}/${activeName}`))?.key;
  return key !== undefined && fileNameOf(key) === activeName ? key : undefined;
}
