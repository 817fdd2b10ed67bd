/** Verifying, repairing and reclaiming, for an instance that has the directory open for writing. */

import type { SessionLog } from "../../log/session-log.ts";
import type { Upkeep } from "../../store/backend.ts";
import { estimateReclaim } from "./estimate-reclaim.ts";
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
  /** The same, but the session's file is not opened for it: it may be damaged. */
  aloneUnopened(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void>;
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
    alone: async (key, task) => {
      await around.aloneUnopened(key, async (tenure) => {
        if (tenure.log !== undefined) await around.sealing.settle(tenure.log);
        await tenure.setLog(undefined);
        await task(surroundings);
      });
    },
  };
}
