/** Verifying, repairing and reclaiming, for an instance that has the directory open for writing. */

import { firstKeptSeq } from "../../../log/log-part.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { Operation, Upkeep } from "../../../store/backend.ts";
import { truncateTo } from "../../../store/decide.ts";
import type { Written } from "../../../store/types.ts";
import { estimateReclaim } from "./estimate-reclaim.ts";
import { reclaimStore } from "./reclaim-store.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import { repairStore, type RepairPlace } from "./repair-store.ts";
import type { SealSurroundings } from "../writing/seal-session.ts";
import type { Tenure } from "../writing/tenure.ts";
import { verifyStore, type VerifyStorePlace } from "./verify-store.ts";

export interface UpkeepSurroundings {
  readonly sealing: SealSurroundings;
  now(): string;
  place(): Promise<ReadPlace>;
  /** With what is wrong with journals: those of the dead, and those that this instance has taken over. */
  verifyPlace(): Promise<VerifyStorePlace>;
  /** What was wrong with journals is in a report of what was repaired. */
  onJournalsRepaired(): void;
  /** Runs the task while this instance alone may write to the key. */
  alone(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void>;
  /** The same, but the session's file is not opened for it: it may be damaged. */
  aloneUnopened(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void>;
  write(key: string, operation: Operation): Promise<Written>;
}

export function jsonlUpkeep(around: UpkeepSurroundings): Upkeep {
  const { sealing } = around;
  const now = (): string => around.now();
  return {
    verify: async (options) => await verifyStore(await around.verifyPlace(), options),
    repair: async (options) => {
      const place = await around.verifyPlace();
      const report = await repairStore({ ...place, ...repairing(around) }, options);
      if (options.keys === undefined) around.onJournalsRepaired();
      return report;
    },
    reclaim: async (options) => {
      if (options.dryRun) return await estimateReclaim(await around.place(), options);
      return await reclaimStore(await around.place(), options, async (key, task) => {
        let firstKept = 0;
        await around.alone(key, async (tenure) => {
          const replace = async (log: SessionLog): Promise<void> => await tenure.setLog(log);
          await task({ ...sealing, now, replace }, tenure.log);
          if (tenure.log !== undefined) firstKept = viewBeginsLate(tenure.log);
        });
        // Of what was dropped nothing can be seen: the view says so, and its count is right again.
        if (firstKept > 0) await around.write(key, truncateTo({ keepFrom: firstKept }, {}));
      });
    },
  };
}

/** The first record that is kept, if the view reaches back behind it; 0: it does not. */
function viewBeginsLate({ parts, state }: SessionLog): number {
  const firstKept = firstKeptSeq(parts);
  return state.keepFrom < firstKept ? firstKept : 0;
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
