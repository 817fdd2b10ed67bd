/** What opening a directory for writing would take over from other programs, for those who want to know it first. */

import { resolve } from "node:path";
import { layoutOf, putAwayName } from "./backends/jsonl/files/layout.ts";
import { nodeHost } from "./host/node-host.ts";
import type { MigrationPlan } from "./migrate/migration-plan.ts";
import { planMigration as planFor } from "./migrate/plan-migration.ts";

/** Reads only; an empty plan where there is no such directory. */
export async function planMigration(directory: string): Promise<MigrationPlan> {
  return await planFor(nodeHost.files, { ...layoutOf(resolve(directory)), putAwayName });
}
