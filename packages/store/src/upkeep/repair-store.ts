/** Mends what verify reports, session by session, each under its lease. Answers with what was found, mended or not. */

import { isLonghandError } from "../errors.ts";
import { fileNameOf } from "../format/key.ts";
import type { Header } from "../format/header.ts";
import type { Damage } from "../format/session-record.ts";
import type { BackendUpkeepOptions } from "../contract/backend.ts";
import type { LostRecords, VerifyReport } from "../contract/types.ts";
import { findSessionFile } from "../engine/files/find-session-file.ts";
import { checkKeptRecords, restoreKeptRecords } from "./kept-records.ts";
import { moveAside } from "./move-aside.ts";
import type { RepairDeps } from "./repair-segment.ts";
import { repairSession, type RepairedSession } from "./repair-session.ts";
import { leftUnowned } from "../engine/verify/left-as-it-is.ts";
import { verifySession, type CheckedSession, type VerifyPlace } from "../engine/verify/verify-session.ts";
import { strangerDamage, walkStore, type VerifyStorePlace } from "./verify-store.ts";

export interface RepairPlace extends VerifyStorePlace {
  /**
   * Runs the task while this instance alone may write to the key. Everything of its session is landed and synced before,
   * and nothing of it is opened or remembered: neither during the task nor after it.
   */
  alone(key: string, task: (deps: RepairDeps) => Promise<void>): Promise<void>;
  /** There are kept records of a session that has no file. */
  onWithoutFile(id: string): void;
  /** For what belongs to no session. */
  readonly deps: RepairDeps;
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
    async (path, unknown) => {
      if (unknown.length > 0) return leftAsItIs(strangerDamage(path), leftUnowned(unknown));
      kept.push(await moveAside(place.deps, path));
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
  for (const { id, damage, session } of await checkKeptRecords(place, keys)) {
    if (session === undefined) {
      found.push(...damage);
      if (id !== undefined) place.onWithoutFile(id);
      continue;
    }
    try {
      let left: ReadonlyMap<string, string | undefined> = new Map();
      await place.alone(session.header.key, async (deps) => {
        // Another repair may have put them back since, or the session may have gone on.
        const now = (await checkKeptRecords(place, keys)).find((each) => each.id === id);
        if (now === undefined) return;
        left = new Map(now.damage.map((each) => [each.file, each.left]));
        if (!now.isRestorable) return;
        for (const path of await restoreKeptRecords(deps, now)) onRestored(path);
      });
      found.push(...damage.map((each) => asLeft(each, left.get(each.file))));
    } catch (error) {
      if (!isLonghandError(error, "SESSION_LOCKED")) throw error;
      found.push(...damage.map((each) => leftAsItIs(each, error.message)));
    }
  }
  return found;
}

/** `left` as it was found under the lease. */
function asLeft(damage: Damage, left: string | undefined): Damage {
  if (left !== undefined) return leftAsItIs(damage, left);
  const { file, offset, bytes, kind, reason, key } = damage;
  return { file, offset, bytes, kind, reason, ...(key === undefined ? {} : { key }) };
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
    // Under the lease nothing of its own is missing. A file that it shares may still wait for a recovery.
    patchesOf: (asked) => (asked.id === header.id ? [] : place.patchesOf(asked)),
    mayBeGrowing: async () => await Promise.resolve(false),
  };
  // What is gone by then was mended by opening the session for writing, such as a torn tail.
  let { damage } = first;
  await place.alone(header.key, async (deps) => {
    let checked = await verifySession(quiet, file);
    if (checked?.header?.id !== header.id) {
      const moved = await findSessionFile(files, layout, header.id, fileNameOf(header.key));
      checked = moved === undefined ? undefined : await verifySession(quiet, moved);
    }
    if (checked === undefined || checked.damage.length === 0) return;
    const { left } = checked;
    damage = left === undefined ? checked.damage : checked.damage.map((each) => leftAsItIs(each, left));
    onRepaired(await repairSession(deps, checked));
  });
  return damage;
}

function leftAsItIs(damage: Damage, remedy: string): Damage {
  return { ...damage, left: remedy, reason: `${damage.reason}; left as it is: ${remedy}` };
}
