/** The workspaces that the home has a record of, apart from the default one. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";
import { readRecord, type WorkspaceRecord } from "./workspace-record.ts";
import { WORKSPACES, workspaceState } from "./workspace-state.ts";

export interface KnownWorkspace extends WorkspaceRecord {
  readonly state: string;
  /** `false`: it was moved or removed. */
  readonly exists: boolean;
}

export async function findWorkspaces(home: string): Promise<readonly KnownWorkspace[]> {
  const directory = join(home, WORKSPACES);
  const names = await readdir(directory).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  });
  const known: KnownWorkspace[] = [];
  for (const name of names.sort()) {
    const state = join(directory, name);
    const record = readRecord(state);
    // A state that was copied or renamed is not found by its path.
    if (record === undefined || record === "damaged" || workspaceState(home, record.path) !== state) continue;
    known.push({ ...record, state, exists: existsSync(record.path) });
  }
  return known;
}
