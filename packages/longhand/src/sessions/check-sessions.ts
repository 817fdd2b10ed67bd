/** Reads sessions through and tells what is wrong with them: damaged places, and sessions that cannot be read at all. */

import type { VerifyReport } from "@longhand/store";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { chooseKeys } from "./choose-keys.ts";
import { findSettledFiles, type SettledFile } from "./kept-aside.ts";
import type { UnreadableSession } from "./unreadable-session.ts";
import { type StoreSurroundings, withStoreForReading } from "./with-store.ts";

export interface CheckedSessions {
  readonly report: VerifyReport;
  /** For want of permission, or since a newer version wrote them: nothing that could be mended here. */
  readonly unreadable: readonly UnreadableSession[];
  /** Records were kept aside in them, and are in their sessions by now. */
  readonly settled: readonly SettledFile[];
  /** As the store takes it. */
  readonly chosen: { readonly keys?: readonly string[] };
}

/** Takes no lock and changes nothing. */
export async function checkSessions(
  given: StoreSurroundings,
  wanted: readonly string[],
): Promise<CheckedSessions> {
  const unreadable = new Map<string, UnreadableSession>();
  return await withProgress(given.output, async (progress) =>
    withStoreForReading(
      { ...given, output: progress.output },
      async (store) => {
        const chosen = await chooseKeys(store, wanted, given);
        const onProgress = showPercent(progress, "reading");
        const report = await store.verify({ ...chosen, onProgress });
        const inReport = new Set(report.damage.map(({ file }) => file));
        return {
          report,
          unreadable: [...unreadable.values()].filter(({ file }) => !inReport.has(file)),
          settled: await findSettledFiles(store, report, given, chosen.keys),
          chosen,
        };
      },
      // Damage is in the report, all of it; what is no damage is not.
      { onDamage: () => undefined, onUnreadable: (session) => void unreadable.set(session.file, session) },
    ),
  );
}
