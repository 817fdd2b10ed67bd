/** Verifying, repairing and reclaiming, for an instance that has the directory open for writing. */

import { isLonghandError } from "../errors.ts";
import type { SessionLog } from "../session/session-log.ts";
import type { Operation, Snapshot, Upkeep } from "../contract/backend.ts";
import { truncateTo } from "../contract/decide.ts";
import type { Written } from "../contract/types.ts";
import { estimateReclaim } from "./estimate-reclaim.ts";
import { finished, firstKeptAfter, isSealable, type ReclaimWhat } from "./reclaim-session.ts";
import { reclaimStore } from "./reclaim-store.ts";
import type { ReadPlace } from "../engine/reading/read-session.ts";
import { repairStore, type RepairPlace } from "./repair-store.ts";
import { sealSession, type SealDeps } from "../engine/writing/seal-session.ts";
import type { HeldSession } from "../engine/writing/held-session.ts";
import { verifyStore, type VerifyStorePlace } from "./verify-store.ts";

export interface UpkeepDeps {
  readonly sealing: SealDeps;
  now(): string;
  place(): Promise<ReadPlace>;
  /** With what is wrong with journals: those of the dead, and those that this instance has taken over. */
  verifyPlace(): Promise<VerifyStorePlace>;
  /** What was wrong with journals is in a report of what was repaired. */
  onJournalsRepaired(): void;
  /** A session was looked at under its lease. */
  onRepaired(key: string): void;
  /** A repair has found kept records of a session that has no file. */
  onWithoutFile(id: string): void;
  /** Runs the task while this instance alone may write to the key. */
  alone(key: string, task: (heldSession: HeldSession) => Promise<void>): Promise<void>;
  /** The same, but the session's file is not opened for it: it may be damaged. */
  aloneUnopened(key: string, task: (heldSession: HeldSession) => Promise<void>): Promise<void>;
  write(key: string, operation: Operation): Promise<Written>;
  /** What a session that is open here holds. */
  view(log: SessionLog): Snapshot;
}

export function jsonlUpkeep(deps: UpkeepDeps): Upkeep {
  const { sealing } = deps;
  const now = (): string => deps.now();
  return {
    verify: async (options) => await verifyStore(await deps.verifyPlace(), options),
    repair: async (options) => {
      const place = await deps.verifyPlace();
      const report = await repairStore({ ...place, ...repairing(deps) }, options);
      if (options.keys === undefined) deps.onJournalsRepaired();
      return report;
    },
    reclaim: async (options) => {
      if (options.dryRun) return await estimateReclaim(await deps.place(), options);
      return await reclaimStore(await deps.place(), options, async (key, task) => {
        if (options.seal) await sealOnRequest(deps, key);
        const what = await cutView(deps, key, options);
        await deps.alone(key, async (heldSession) => {
          const replace = async (log: SessionLog): Promise<void> => await heldSession.setLog(log);
          await task({ ...sealing, now, replace }, heldSession.log, what);
        });
        // Somebody may have widened the view in between.
        if (what.drop !== undefined) await cutView(deps, key, { ...what, drop: undefined });
      });
    },
  };
}

async function sealOnRequest(deps: UpkeepDeps, key: string): Promise<void> {
  await deps.alone(key, async (heldSession) => {
    const { log } = heldSession;
    if (log !== undefined && (await isSealable(deps.view(log), log.header)))
      await heldSession.setLog(await sealSession(deps.sealing, log, finished));
  });
}

/**
 * What is to be dropped leaves the view first, so that a crash on the way leaves everything that the view shows, and a
 * count that is right. Answers with what may be dropped: nothing that has come since.
 */
async function cutView(deps: UpkeepDeps, key: string, { drop, seal }: ReclaimWhat): Promise<ReclaimWhat> {
  let firstKept = 0;
  let cut = 0;
  await deps.alone(key, async ({ log }) => {
    await Promise.resolve();
    if (log === undefined) return;
    firstKept = firstKeptAfter(log, drop);
    if (log.state.keepFrom < firstKept) cut = firstKept;
  });
  if (cut > 0) await deps.write(key, truncateTo({ keepFrom: cut }, {}));
  return { drop: drop === undefined ? undefined : { seq: firstKept }, seal };
}

/** What its file lacks is kept: the repair puts it back. */
function ignoreChanged(error: unknown): void {
  if (!isLonghandError(error, "SESSION_CHANGED")) throw error;
}

function repairing(deps: UpkeepDeps): Pick<RepairPlace, "alone" | "deps" | "onWithoutFile"> {
  const surroundings = { ...deps.sealing, now: () => deps.now() };
  return {
    deps: surroundings,
    onWithoutFile: (id) => deps.onWithoutFile(id),
    alone: async (key, task) => {
      await deps.aloneUnopened(key, async (heldSession) => {
        if (heldSession.log !== undefined) await deps.sealing.settle(heldSession.log).catch(ignoreChanged);
        await heldSession.setLog(undefined);
        await task(surroundings);
        deps.onRepaired(key);
      });
    },
  };
}
