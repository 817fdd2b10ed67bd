/** What opening a directory for writing would take over from other programs, for those who want to know it first. */

import { resolve } from "node:path";
import { layoutOf, putAwayName } from "./format/layout.ts";
import { nodeHost } from "./host/node-host.ts";
import { lazy } from "./lazy.ts";
import type { MigrationPlan } from "./migrate/migration-plan.ts";

const loadPlan = lazy(async () => await import("./migrate/plan-migration.ts"));

/** Reads only; an empty plan where there is no such directory. */
export async function planMigration(directory: string): Promise<MigrationPlan> {
  const { planMigration: planFor } = await loadPlan();
  return await planFor(nodeHost.files, { ...layoutOf(resolve(directory)), putAwayName });
}
