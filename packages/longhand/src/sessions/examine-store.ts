/** Looks at what a store holds, for `longhand doctor`. Opens it for reading only: nothing is changed, nobody waits. */

import type { Damage, LonghandError, SessionInfo } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { unreadableRemedy } from "./damage-remedy.ts";
import { unreadableByDamage, unreadableByError, type UnreadableSession } from "./unreadable-session.ts";

export interface ContentFacts {
  /** Active ones that can be read. */
  readonly sessions: number;
  readonly archived: number;
  readonly trashed: number;
  /** Of all of them. */
  readonly records: number;
  /** Of the active sessions. */
  readonly messagesInView: number;
  /** As verify reports it: of sessions that cannot be read, too. */
  readonly damage: readonly Damage[];
  /** Sessions that are not listed. */
  readonly unreadable: readonly UnreadableSession[];
  /** What else failed, in the store's own words. */
  readonly failures: readonly string[];
}

/** Reads every line, so that all damage is met. */
export async function examineContent(
  directory: string,
  toPaste: ToPaste,
  onProgress: (done: number, total: number) => void,
): Promise<ContentFacts> {
  const { isLonghandError, openStore } = await import("@longhand/store");
  /** Met while listing: what is told if verifying fails. */
  const met = new Map<string, Damage>();
  let verified: readonly Damage[] | undefined;
  /** Sessions that are not listed. */
  const unreadable = new Map<string, UnreadableSession>();
  /** Of these, what cannot be read because of what is in it, not for want of permission or of a newer version. */
  const damagedFiles = new Set<string>();
  const failures = new Set<string>();
  const count = { active: 0, archived: 0, trashed: 0 } satisfies Record<SessionInfo["status"], number>;
  let [records, messagesInView] = [0, 0];
  const onError = (error: LonghandError): void => {
    const session = unreadableByError(error);
    if (session === undefined) failures.add(error.message);
    else unreadable.set(session.file, session);
  };
  const onDamage = (found: Damage): void => {
    const session = unreadableByDamage(found, toPaste);
    if (session === undefined) met.set(`${found.file}\0${found.offset}`, found);
    else if (!unreadable.has(session.file)) {
      unreadable.set(session.file, session);
      damagedFiles.add(session.file);
    }
  };
  const orFailure = async (attempt: () => Promise<void>): Promise<void> => {
    try {
      await attempt();
    } catch (error) {
      // Whatever it is, it is a finding: the doctor is asked just when things are not as foreseen.
      if (isLonghandError(error)) onError(error);
      else failures.add(String(error));
    }
  };
  await orFailure(async () => {
    const store = await openStore(directory, { readOnly: true, onDamage, onError });
    try {
      await orFailure(async () => {
        for await (const info of store.list({ status: "any" })) {
          count[info.status]++;
          if (info.status === "active") messagesInView += info.count;
        }
      });
      await orFailure(async () => {
        const report = await store.verify({ onProgress });
        records = report.records;
        verified = report.damage;
        for (const found of report.damage) {
          // Who only opened it could not say whether a repair can mend it.
          const { file, reason } = found;
          if (damagedFiles.delete(file))
            unreadable.set(file, { file, reason, remedy: unreadableRemedy(found, toPaste) });
        }
      });
    } finally {
      await store.close();
    }
  });
  return {
    sessions: count.active,
    archived: count.archived,
    trashed: count.trashed,
    records,
    messagesInView,
    damage: verified ?? [...met.values()],
    unreadable: [...unreadable.values()],
    failures: [...failures],
  };
}
