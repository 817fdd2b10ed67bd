/** Verifying, repairing and reclaiming, for an instance that has the directory open for writing. */

import { isLonghandError } from "../../../errors.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { Operation, Snapshot, Upkeep } from "../../../store/backend.ts";
import { truncateTo } from "../../../store/decide.ts";
import type { Written } from "../../../store/types.ts";
import { estimateReclaim } from "./estimate-reclaim.ts";
import { finished, firstKeptAfter, isSealable, type ReclaimWhat } from "./reclaim-session.ts";
import { reclaimStore } from "./reclaim-store.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import { repairStore, type RepairPlace } from "./repair-store.ts";
import { sealSession, type SealSurroundings } from "../writing/seal-session.ts";
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
  /** A session was looked at under its lease. */
  onRepaired(key: string): void;
  /** Runs the task while this instance alone may write to the key. */
  alone(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void>;
  /** The same, but the session's file is not opened for it: it may be damaged. */
  aloneUnopened(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void>;
  write(key: string, operation: Operation): Promise<Written>;
  /** What a session that is open here holds. */
  view(log: SessionLog): Snapshot;
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
        if (options.seal) await sealOnRequest(around, key);
        const what = await cutView(around, key, options);
        await around.alone(key, async (tenure) => {
          const replace = async (log: SessionLog): Promise<void> => await tenure.setLog(log);
          await task({ ...sealing, now, replace }, tenure.log, what);
        });
        // Somebody may have widened the view in between.
        if (what.drop !== undefined) await cutView(around, key, { ...what, drop: undefined });
      });
    },
  };
}

async function sealOnRequest(around: UpkeepSurroundings, key: string): Promise<void> {
  await around.alone(key, async (tenure) => {
    const { log } = tenure;
    if (log !== undefined && (await isSealable(around.view(log), log.header)))
      await tenure.setLog(await sealSession(around.sealing, log, finished));
  });
}

/**
 * What is to be dropped leaves the view first, so that a crash on the way leaves everything that the view shows, and a
 * count that is right. Answers with what may be dropped: nothing that has come since.
 */
async function cutView(
  around: UpkeepSurroundings,
  key: string,
  { drop, seal }: ReclaimWhat,
): Promise<ReclaimWhat> {
  let firstKept = 0;
  let cut = 0;
  await around.alone(key, async ({ log }) => {
    await Promise.resolve();
    if (log === undefined) return;
    firstKept = firstKeptAfter(log, drop);
    if (log.state.keepFrom < firstKept) cut = firstKept;
  });
  if (cut > 0) await around.write(key, truncateTo({ keepFrom: cut }, {}));
  return { drop: drop === undefined ? undefined : { seq: firstKept }, seal };
}

/** What its file lacks is kept: the repair puts it back. */
function ignoreChanged(error: unknown): void {
  if (!isLonghandError(error, "SESSION_CHANGED")) throw error;
}

function repairing(around: UpkeepSurroundings): Pick<RepairPlace, "alone" | "around"> {
  const surroundings = { ...around.sealing, now: () => around.now() };
  return {
    around: surroundings,
    alone: async (key, task) => {
      await around.aloneUnopened(key, async (tenure) => {
        if (tenure.log !== undefined) await around.sealing.settle(tenure.log).catch(ignoreChanged);
        await tenure.setLog(undefined);
        await task(surroundings);
        around.onRepaired(key);
      });
    },
  };
}
