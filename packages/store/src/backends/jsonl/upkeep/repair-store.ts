/** Mends what verify reports, session by session, each under its lease. Answers with what was found, mended or not. */

import { isLonghandError } from "../../../errors.ts";
import { fileNameOf } from "../../../record/key.ts";
import type { Header } from "../../../record/header.ts";
import type { Damage } from "../../../record/session-record.ts";
import type { BackendUpkeepOptions } from "../../../store/backend.ts";
import type { LostRecords, VerifyReport } from "../../../store/types.ts";
import { findSessionFile } from "../files/find-session-file.ts";
import { checkKeptRecords, restoreKeptRecords } from "./kept-records.ts";
import { moveAside } from "./move-aside.ts";
import type { RepairSurroundings } from "./repair-segment.ts";
import { repairSession, type RepairedSession } from "./repair-session.ts";
import { verifySession, type CheckedSession, type VerifyPlace } from "./verify-session.ts";
import { strangerDamage, walkStore, type VerifyStorePlace } from "./verify-store.ts";

export interface RepairPlace extends VerifyStorePlace {
  /**
   * Runs the task while this instance alone may write to the key. Everything of its session is landed and synced before,
   * and nothing of it is opened or remembered: neither during the task nor after it.
   */
  alone(key: string, task: (around: RepairSurroundings) => Promise<void>): Promise<void>;
  /** For what belongs to no session. */
  readonly around: RepairSurroundings;
}

export async function repairStore(place: RepairPlace, options: BackendUpkeepOptions): Promise<VerifyReport> {
  const lost: LostRecords[] = [];
  const kept: string[] = [];
  const note = ({ key, id }: Header, repaired: RepairedSession): void => {
    lost.push(...repaired.lost.map((run) => ({ key, id, ...run })));
    kept.push(...repaired.kept);
  };
  const report = await walkStore(
    place,
    options,
    async (checked) => {
      const { damage, left, header } = checked;
      if (left !== undefined) return damage.map((each) => leftAsItIs(each, left));
      if (header === undefined) return damage;
      try {
        return await repairChecked(place, checked, header, (repaired) => note(header, repaired));
      } catch (error) {
        // Its owner goes on with it; the others need not wait.
        if (!isLonghandError(error, "SESSION_LOCKED")) throw error;
        return damage.map((each) => leftAsItIs(each, error.message));
      }
    },
    async (path, mayBeOurs) => {
      if (mayBeOurs)
        return leftAsItIs(
          strangerDamage(path),
          "it may belong to a session whose header is damaged; mend that one first, or move it out of the store",
        );
      kept.push(await moveAside(place.around, path));
      return strangerDamage(path);
    },
  );
  const restored = await restoreAll(place, options, (path) => kept.push(path));
  const damage = [...report.damage, ...restored];
  return {
    ...report,
    damage,
    ...(lost.length === 0 ? {} : { lost }),
    ...(kept.length === 0 ? {} : { kept }),
  };
}

/** Last: what they are put behind has been mended by then. Answers with what was found. */
async function restoreAll(
  place: RepairPlace,
  { keys }: BackendUpkeepOptions,
  onRestored: (path: string) => void,
): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  for (const { path, damage, session } of await checkKeptRecords(place, keys)) {
    if (session === undefined) {
      found.push(damage);
      continue;
    }
    try {
      let left: string | undefined = damage.left;
      await place.alone(session.header.key, async (around) => {
        // Another repair may have put them back since, or the session may have gone on.
        const now = (await checkKeptRecords(place, keys)).find((each) => each.path === path);
        left = now?.damage.left;
        if (now === undefined || left !== undefined) return;
        const restored = await restoreKeptRecords(around, now);
        if (restored !== undefined) onRestored(restored);
      });
      found.push(left === undefined ? damage : leftAsItIs(damage, left));
    } catch (error) {
      if (!isLonghandError(error, "SESSION_LOCKED")) throw error;
      found.push(leftAsItIs(damage, error.message));
    }
  }
  return found;
}

/** Looked at again under the lease, wherever it is by then: what was found may have changed. */
async function repairChecked(
  place: RepairPlace,
  first: CheckedSession,
  header: Header,
  onRepaired: (repaired: RepairedSession) => void,
): Promise<readonly Damage[]> {
  const { files, layout } = place;
  const { file } = first;
  const quiet: VerifyPlace = {
    files,
    layout,
    patchesOf: () => [],
    mayBeGrowing: async () => await Promise.resolve(false),
  };
  // What is gone by then was mended by opening the session for writing, such as a torn tail.
  let { damage } = first;
  await place.alone(header.key, async (around) => {
    let checked = await verifySession(quiet, file);
    if (checked?.header?.id !== header.id) {
      const moved = await findSessionFile(files, layout, header.id, fileNameOf(header.key));
      checked = moved === undefined ? undefined : await verifySession(quiet, moved);
    }
    if (checked === undefined || checked.damage.length === 0) return;
    const { left } = checked;
    damage = left === undefined ? checked.damage : checked.damage.map((each) => leftAsItIs(each, left));
    onRepaired(await repairSession(around, checked));
  });
  return damage;
}

function leftAsItIs(damage: Damage, remedy: string): Damage {
  return { ...damage, left: remedy, reason: `${damage.reason}; left as it is: ${remedy}` };
}
