/**
 * What Longhand remembers of a workspace: its path, whether the user approved it, and what was in it then. The record is in the home,
 * out of reach of the tools, so nothing that a command puts into the workspace later is trusted by it.
 */

import { lstatSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { CommandError } from "../command-error.ts";

export const WORKSPACE_FILE = "workspace.json";

/** What a workspace may bring with it. */
export const OFFERED = ["longhand.json", "skills"] as const;
export type Offered = (typeof OFFERED)[number];

/** What older versions kept in the workspace itself. */
export const OLDER = ["sessions", "memory"] as const;
export type Older = (typeof OLDER)[number];

export interface WorkspaceRecord {
  /** Without links. */
  readonly path: string;
  /** When the user said yes; `null`: not, or taken back. */
  readonly approved: string | null;
  /** What was there at that time, and may be used. */
  readonly uses: readonly Offered[];
  /** What an older version had left at that time and has not been moved. */
  readonly left: readonly Older[];
}

const MAX_BYTES = 64 * 1024;

/** `undefined`: there is none, or it cannot be understood; either way nothing was approved. */
export function readRecord(state: string): WorkspaceRecord | undefined {
  const file = join(state, WORKSPACE_FILE);
  try {
    const facts = lstatSync(file);
    if (!facts.isFile() || facts.size > MAX_BYTES) return undefined;
    return parseRecord(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return undefined;
    throw error;
  }
}

/** The record of this very directory. FILE_FAILED: the state belongs to another one. */
export function readRecordOf(state: string, real: string): WorkspaceRecord | undefined {
  const record = readRecord(state);
  if (record !== undefined && record.path !== real) {
    const file = join(state, WORKSPACE_FILE);
    throw new CommandError("FILE_FAILED", `${file} is of ${record.path}, not of ${real}; move it away`, {
      detail: { file, path: record.path, workspace: real },
    });
  }
  return record;
}

export function parseRecord(value: unknown): WorkspaceRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { longhand, path, approved, uses, left } = value as Readonly<Record<string, unknown>>;
  if (longhand !== 1) return undefined;
  if (typeof path !== "string" || !isAbsolute(path) || path.includes("\0")) return undefined;
  if (approved !== null && (typeof approved !== "string" || Number.isNaN(Date.parse(approved))))
    return undefined;
  if (!Array.isArray(uses) || !Array.isArray(left)) return undefined;
  return {
    path,
    approved,
    uses: OFFERED.filter((name) => uses.includes(name)),
    left: OLDER.filter((name) => left.includes(name)),
  };
}

export async function writeRecord(state: string, record: WorkspaceRecord): Promise<void> {
  await mkdir(state, { recursive: true, mode: 0o700 });
  const file = join(state, WORKSPACE_FILE);
  const temporary = `${file}.${process.pid}.new`;
  try {
    const text = `${JSON.stringify({ longhand: 1, ...record }, undefined, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
