/** Verifying, repairing and reclaiming, for an instance that has the directory open for writing. */

import { isLonghandError } from "../errors.ts";
import type { SessionLog } from "../session/session-log.ts";
import type { Upkeep } from "../contract/backend.ts";
import { truncateTo } from "../contract/decide.ts";
import type { Damage } from "../format/session-record.ts";
import type { Host } from "../host/host.ts";
import { estimateReclaim } from "./estimate-reclaim.ts";
import { finished, firstKeptAfter, isSealable, type ReclaimWhat } from "./reclaim-session.ts";
import { reclaimStore } from "./reclaim-store.ts";
import { repairStore, type RepairPlace } from "./repair-store.ts";
import type { Instance } from "../engine/instance/begin-instance.ts";
import type { CommitPipeline } from "../engine/writing/commit-pipeline.ts";
import type { SessionForks } from "../engine/writing/fork-key.ts";
import type { OpenSessions } from "../engine/writing/open-sessions.ts";
import { sealSession } from "../engine/writing/seal-session.ts";
import type { SessionQueues } from "../engine/writing/session-queues.ts";
import type { StorePlace } from "../engine/writing/store-place.ts";
import type { StoreReading } from "../engine/writing/store-reading.ts";
import { verifyPlace } from "./verify-place.ts";
import { verifyStore, type VerifyStorePlace } from "./verify-store.ts";

export interface UpkeepDeps {
  readonly host: Host;
  readonly instance: Instance;
  readonly pipeline: CommitPipeline;
  readonly place: StorePlace;
  readonly sessions: OpenSessions;
  readonly reading: StoreReading;
  readonly queues: SessionQueues;
  readonly forks: SessionForks;
}

export function jsonlUpkeep(deps: UpkeepDeps): Upkeep {
  const { instance, pipeline, place, queues } = deps;
  const surroundings = { ...deps.sessions.sealing, now: () => new Date(deps.host.now()).toISOString() };
  return {
    verify: async (options) => await verifyStore(await currentVerifyPlace(deps), options),
    repair: async (options) => {
      const repairPlace = { ...(await currentVerifyPlace(deps)), ...repairing(deps, surroundings) };
      const report = await repairStore(repairPlace, options);
      // What was wrong with journals is in the report.
      if (options.keys === undefined) instance.recovery.forgetDamage();
      return report;
    },
    reclaim: async (options) => {
      await pipeline.applier.applyNow();
      const current = await place.current();
      if (options.dryRun) return await estimateReclaim(current, options);
      return await reclaimStore(current, options, async (key, task) => {
        if (options.seal) await sealOnRequest(deps, key);
        const what = await cutView(deps, key, options);
        await queues.withSession(key, async (heldSession) => {
          const replace = async (log: SessionLog): Promise<void> => await heldSession.setLog(log);
          await task({ ...surroundings, replace }, heldSession.log, what);
        });
        // Somebody may have widened the view in between.
        if (what.drop !== undefined) await cutView(deps, key, { ...what, drop: undefined });
      });
    },
  };
}

/** With what is wrong with journals: those of the dead, and those that this instance has recovered. */
async function currentVerifyPlace(deps: UpkeepDeps): Promise<VerifyStorePlace> {
  const { instance, pipeline, place, forks } = deps;
  await pipeline.applier.applyNow();
  const unapplied: Damage[] = [];
  const { files, layout, patchesOf } = await place.current((damage) => unapplied.push(damage));
  const { otherInstances, recovery } = instance;
  // What a recovery has found is no longer where it was: no other instance can report it.
  const journalDamage = [...recovery.damage, ...unapplied];
  const self = { instance: instance.self.instance, isForking: () => forks.areUnderWay };
  // A recovery keeps those aside, where verify finds them.
  const recordsWithoutFile: VerifyStorePlace["recordsWithoutFile"] = async () => await Promise.resolve([]);
  const found = { patchesOf, journalDamage, recordsWithoutFile };
  return verifyPlace({ files, layout, otherInstances, ...found, self });
}

async function sealOnRequest({ queues, reading, sessions }: UpkeepDeps, key: string): Promise<void> {
  await queues.withSession(key, async (heldSession) => {
    const { log } = heldSession;
    if (log !== undefined && (await isSealable(reading.view(log), log.header)))
      await heldSession.setLog(await sealSession(sessions.sealing, log, finished));
  });
}

/**
 * What is to be dropped leaves the view first, so that a crash on the way leaves everything that the view shows, and a
 * count that is right. Answers with what may be dropped: nothing that has come since.
 */
async function cutView(
  { queues }: UpkeepDeps,
  key: string,
  { drop, seal }: ReclaimWhat,
): Promise<ReclaimWhat> {
  let firstKept = 0;
  let cut = 0;
  await queues.withSession(key, async ({ log }) => {
    await Promise.resolve();
    if (log === undefined) return;
    firstKept = firstKeptAfter(log, drop);
    if (log.state.keepFrom < firstKept) cut = firstKept;
  });
  if (cut > 0) await queues.write(key, truncateTo({ keepFrom: cut }, {}));
  return { drop: drop === undefined ? undefined : { seq: firstKept }, seal };
}

/** What its file lacks is kept: the repair puts it back. */
function ignoreChanged(error: unknown): void {
  if (!isLonghandError(error, "SESSION_CHANGED")) throw error;
}

function repairing(
  { pipeline, queues }: UpkeepDeps,
  deps: RepairPlace["deps"],
): Pick<RepairPlace, "alone" | "deps" | "onWithoutFile"> {
  return {
    deps,
    onWithoutFile: (id) => pipeline.changed.forgetSession(id),
    alone: async (key, task) => {
      await queues.withUnopened(key, async (heldSession) => {
        if (heldSession.log !== undefined)
          await pipeline.applier.settle(heldSession.log).catch(ignoreChanged);
        await heldSession.setLog(undefined);
        await task(deps);
        pipeline.changed.forget(key);
      });
    },
  };
}
