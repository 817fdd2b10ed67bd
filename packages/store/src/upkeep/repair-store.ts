/** Mends what verify reports, session by session, each under its lease. Answers with what was found, mended or not. */

import { isLonghandError } from "../errors.ts";
import { fileNameOf } from "../format/key.ts";
import type { Header } from "../format/header.ts";
import type { Damage } from "../format/session-record.ts";
import type { BackendUpkeepOptions } from "../contract/backend.ts";
import type { LostRecords, VerifyReport } from "../contract/types.ts";
import { findSessionFile } from "../engine/files/find-session-file.ts";
import {
  checkKeptRecords,
  markAllRestored,
  restoreKeptRecords,
  type CheckedRecords,
} from "./restore-kept-records.ts";
import { moveAside } from "./move-aside.ts";
import type { RepairDeps, RepairedSession } from "./repair-segment.ts";
import { repairSession } from "./repair-session.ts";
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
  const before = await checkKeptRecords(recovered(place), options.keys);
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
  const restored = await restoreAll(place, options, before, {
    onRestored: (path) => kept.push(path),
    onRepaired: note,
  });
  const damage = [...report.damage, ...restored];
  return {
    ...report,
    damage,
    ...(lost.length === 0 ? {} : { lost }),
    ...(kept.length === 0 ? {} : { kept }),
  };
}

/**
 * Last: what they are put beside has been mended by then, and has perhaps taken them in. `before`: what was kept and not in
 * its session before that. Answers with what was found.
 */
async function restoreAll(
  place: RepairPlace,
  { keys }: BackendUpkeepOptions,
  before: readonly CheckedRecords[],
  { onRestored, onRepaired }: OnKept,
): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  const after = await checkKeptRecords(recovered(place), keys);
  const isKnown = new Set(before.flatMap(({ id }) => id ?? []));
  for (const each of [...before, ...after.filter(({ id }) => id !== undefined && !isKnown.has(id))]) {
    const { id, damage } = each;
    const since = after.find((now) => id !== undefined && now.id === id);
    // A file whose header was mended is the session's only now.
    const session = each.session ?? since?.session;
    if (session === undefined && id !== undefined && since === undefined) {
      for (const path of await markAllRestored(
        place,
        damage.map(({ file }) => file),
      ))
        onRestored(path);
      found.push(...damage.map((one) => asLeft(one, undefined)));
      continue;
    }
    if (session === undefined) {
      found.push(...damage);
      if (id !== undefined) place.onWithoutFile(id);
      continue;
    }
    try {
      let left: ReadonlyMap<string, string | undefined> = new Map();
      await place.alone(session.header.key, async (deps) => {
        // Mending the session may have put them back, another repair may have, or the session may have gone on.
        const look = async (): Promise<CheckedRecords | undefined> =>
          (await checkKeptRecords(recovered(place), keys)).find((other) => other.id === id);
        let now = await look();
        let sessionLeft: string | undefined;
        if (now?.isInsertable === true) {
          sessionLeft = await insertKept(place, deps, now, onRepaired);
          now = await look();
        }
        const whyLeft = now?.isInsertable === true ? sessionLeft : undefined;
        left = new Map(now?.damage.map((one) => [one.file, one.left ?? whyLeft]));
        const isBack = ({ file }: Damage): boolean => now?.damage.every((one) => one.file !== file) ?? true;
        const back = damage.filter(isBack).map(({ file }) => file);
        for (const path of await markAllRestored(place, back)) onRestored(path);
        if (now?.isRestorable !== true) return;
        for (const path of await restoreKeptRecords(deps, now)) onRestored(path);
      });
      found.push(...damage.map((one) => asLeft(one, left.get(one.file))));
    } catch (error) {
      if (!isLonghandError(error, "SESSION_LOCKED")) throw error;
      found.push(...damage.map((one) => leftAsItIs(one, error.message)));
    }
  }
  return found;
}

interface OnKept {
  readonly onRestored: (path: string) => void;
  readonly onRepaired: (header: Header, repaired: RepairedSession) => void;
}

/**
 * Records that an earlier repair has called lost, since nothing was known of them, go back to their places. Answers with why
 * the session is left as it is; `undefined`: it is not.
 */
async function insertKept(
  place: RepairPlace,
  deps: RepairDeps,
  { session }: CheckedRecords,
  onRepaired: OnKept["onRepaired"],
): Promise<string | undefined> {
  const checked =
    session === undefined ? undefined : await verifySession(quietly(place, session.header), session);
  if (session !== undefined && checked?.header?.id === session.header.id)
    onRepaired(session.header, await repairSession(deps, checked));
  return checked?.left;
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
  const quiet = quietly(place, header);
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

/** Whatever the journals of dead processes had is in the files, or kept. */
function recovered({ files, layout }: RepairPlace): Pick<VerifyPlace, "files" | "layout" | "patchesOf"> {
  return { files, layout, patchesOf: () => [] };
}

/** Under the lease nothing of its own is missing. A file that it shares may still wait for a recovery. */
function quietly({ files, layout, patchesOf }: RepairPlace, { id }: Header): VerifyPlace {
  return {
    files,
    layout,
    patchesOf: (asked) => (asked.id === id ? [] : patchesOf(asked)),
    mayBeGrowing: async () => await Promise.resolve(false),
  };
}

function leftAsItIs(damage: Damage, remedy: string): Damage {
  return { ...damage, left: remedy, reason: `${damage.reason}; left as it is: ${remedy}` };
}
