/** The simulated machine that workloads run on, and how a store is opened there. */

import { jsonlBackend, openStore, type Damage, type Store } from "@longhand/store";
import type { Host } from "@longhand/store/testing";
import type { Workload } from "./step.ts";

export const DIRECTORY = "/store";

/**
 * The same for every run: disks differ because other things happened on them, not because other ids were drawn. After
 * every crash the clock says the same, for the same reason.
 */
export const MACHINE_SEED = 7;
export const CLOCK_AFTER_CRASH: number = Date.UTC(2026, 0, 2);

export interface Opened {
  readonly store: Store;
  /** What was reported since it was opened. */
  readonly reports: string[];
}

export type StoreSettings = Pick<Workload, "journalBytes" | "segmentBytes" | "files">;

export async function openOn(
  host: Host,
  { journalBytes, segmentBytes, files }: StoreSettings,
  readOnly = false,
): Promise<Opened> {
  const reports: string[] = [];
  const store = await openStore(
    jsonlBackend(DIRECTORY, {
      host,
      ...(journalBytes === undefined ? {} : { journalBytes }),
      ...(segmentBytes === undefined ? {} : { segmentBytes }),
    }),
    {
      readOnly,
      // Where there are files of another program, the workload is their migration.
      migrate: !readOnly && files !== undefined,
      onDamage: (damage) => reports.push(tellDamage(damage)),
      onError: (error) => reports.push(`an error: ${error.code} ${error.message}`),
    },
  );
  return { store, reports };
}

export function tellDamage({ file, offset, kind, reason }: Damage): string {
  return `${kind} at ${file}:${offset}: ${reason}`;
}
