/** Reads sessions through and tells what is wrong with them: damaged places, and sessions that cannot be read at all. */

import type { VerifyReport } from "@longhand/store";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { chooseKeys } from "./choose-keys.ts";
import { findForeign, type ForeignSessions, orForeign, tellForeign } from "./foreign-sessions.ts";
import type { UnreadableSession } from "./unreadable-session.ts";
import { type StoreSurroundings, withStoreForReading } from "./with-store.ts";

export interface CheckedSessions {
  readonly report: VerifyReport;
  /** For want of permission, or since a newer version wrote them: nothing that could be mended here. */
  readonly unreadable: readonly UnreadableSession[];
  /** Of other programs: neither damaged nor unreadable. */
  readonly foreign: ForeignSessions;
  /** As the store takes it. */
  readonly chosen: { readonly keys?: readonly string[] };
}

/** Takes no lock and changes nothing. */
export async function checkSessions(
  given: StoreSurroundings,
  wanted: readonly string[],
): Promise<CheckedSessions> {
  const unreadable = new Map<string, UnreadableSession>();
  const foreign = await findForeign(given.places.sessions.path);
  const isOurs = ({ file }: { readonly file: string }): boolean => !foreign.files.has(file);
  return await withProgress(given.output, async (progress) =>
    withStoreForReading(
      { ...given, output: progress.output },
      async (store) => {
        const chosen = await chooseKeys(store, wanted, given).catch(async (error: unknown) => {
          tellForeign(foreign, given);
          throw await orForeign(error, foreign, given);
        });
        const onProgress = showPercent(progress, "reading");
        const found = await store.verify({ ...chosen, onProgress });
        const report = { ...found, damage: found.damage.filter(isOurs) };
        const inReport = new Set(report.damage.map(({ file }) => file));
        return {
          report,
          unreadable: [...unreadable.values()].filter(isOurs).filter(({ file }) => !inReport.has(file)),
          foreign,
          chosen,
        };
      },
      // Damage is in the report, all of it; what is no damage is not.
      { onDamage: () => undefined, onUnreadable: (session) => void unreadable.set(session.file, session) },
    ),
  );
}
