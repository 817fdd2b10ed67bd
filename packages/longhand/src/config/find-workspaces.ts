/** The workspaces that the home has a record of, apart from the default one. */

import { existsSync } from "node:fs";
import { readRecord, type WorkspaceRecord } from "./workspace-record.ts";
import { workspaceState } from "./workspace-state.ts";
import { workspaceStates } from "./workspace-states.ts";

export interface KnownWorkspace extends WorkspaceRecord {
  readonly state: string;
  /** `false`: it was moved or removed. */
  readonly exists: boolean;
}

export async function findWorkspaces(home: string): Promise<readonly KnownWorkspace[]> {
  const known: KnownWorkspace[] = [];
  for (const state of await workspaceStates(home)) {
    const record = readRecord(state);
    // A state that was copied or renamed is not found by its path.
    if (record === undefined || record === "damaged" || workspaceState(home, record.path) !== state) continue;
    known.push({ ...record, state, exists: existsSync(record.path) });
  }
  return known;
}
