/**
 * Which of the configuration and skills of a workspace may be used: what was there when the user approved it. A command that the agent
 * runs may create files by these names later; they are not used before the user has said yes to them.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setAsidePath } from "./move-paths.ts";
import { findOlder } from "./older-layout.ts";
import {
  OFFERED,
  type Offered,
  readRecord,
  readRecordOf,
  type WorkspaceRecord,
  writeRecord,
} from "./workspace-record.ts";

/** Without a record it is the first use, and nothing of the agent's can be in the workspace: all of it. */
export function usesOf(state: string, real: string): readonly Offered[] {
  return readRecordOf(state, real)?.uses ?? OFFERED;
}

export function offeredIn(workspace: string): readonly Offered[] {
  return OFFERED.filter((name) => existsSync(join(workspace, name)));
}

/** The user has said yes, to the directory and to what it has. */
export async function approve(state: string, real: string, now: Date): Promise<WorkspaceRecord> {
  const before = readRecord(state) === "damaged" ? undefined : readRecordOf(state, real);
  const record: WorkspaceRecord = {
    left: findOlder(real),
    ...before,
    path: real,
    approved: now.toISOString(),
    uses: offeredIn(real),
  };
  await writeRecord(state, record);
  return record;
}

/**
 * Before an agent opens a workspace: it must have a record, so that what appears later is told from what was there. What was approved and
 * is gone must be approved again when it comes back; what an older version left and is gone is not offered when it comes back. A damaged
 * record is not replaced: only `approve` does that.
 */
export async function keepRecord(state: string, real: string): Promise<WorkspaceRecord> {
  const record = readRecordOf(state, real);
  const offered = offeredIn(real);
  if (record === undefined) {
    const first = { path: real, approved: null, uses: offered, left: findOlder(real) };
    await writeRecord(state, first);
    return first;
  }
  const uses = record.uses.filter((name) => offered.includes(name));
  const left = record.left.filter((name) => {
    const path = join(real, name);
    return existsSync(path) || existsSync(setAsidePath(path));
  });
  if (uses.length === record.uses.length && left.length === record.left.length) return record;
  const kept = { ...record, uses, left };
  await writeRecord(state, kept);
  return kept;
}
