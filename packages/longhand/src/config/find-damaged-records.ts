/** The files of records that cannot be read, of the default workspace and of all others. */

import { join } from "node:path";
import { readRecord, WORKSPACE_FILE } from "./workspace-record.ts";
import { workspaceStates } from "./workspace-states.ts";

export async function findDamagedRecords(home: string): Promise<readonly string[]> {
  return [home, ...(await workspaceStates(home))]
    .filter((state) => readRecord(state) === "damaged")
    .map((state) => join(state, WORKSPACE_FILE));
}
