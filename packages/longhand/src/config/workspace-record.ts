/**
 * What Longhand remembers of a workspace: its path, whether the user approved it, and what was in it then. The record is in the home,
 * out of reach of the tools, so nothing that a command puts into the workspace later is trusted by it.
 */

import { lstatSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { errorCode } from "../error-code.ts";
import { realPath } from "./real-path.ts";
import { syncDirectory } from "./sync-directory.ts";
import { DEFAULT_WORKSPACE } from "./workspace-state.ts";

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
  /** The user was asked whether to move it, and said no. */
  readonly isMoveDeclined?: boolean;
}

const MAX_BYTES = 64 * 1024;

/** `undefined`: there is no such file. "damaged": it cannot be read, or a newer version wrote it; it approves nothing. */
export function readRecord(state: string): WorkspaceRecord | "damaged" | undefined {
  const file = join(state, WORKSPACE_FILE);
  try {
    const facts = lstatSync(file);
    if (!facts.isFile() || facts.size > MAX_BYTES) return "damaged";
    return parseRecord(JSON.parse(readFileSync(file, "utf8"))) ?? "damaged";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return undefined;
    if (error instanceof SyntaxError || code === "ENOTDIR" || code === "EACCES") return "damaged";
    throw error;
  }
}

/**
 * The record of this very directory; a damaged one approves nothing. The default workspace is always the one in its home, wherever that was
 * copied to. FILE_FAILED: the state belongs to another directory.
 */
export function readRecordOf(state: string, real: string): WorkspaceRecord | undefined {
  const record = readRecord(state);
  if (record === "damaged") return { path: real, approved: null, uses: [], left: [] };
  if (record !== undefined && real === realPath(join(state, DEFAULT_WORKSPACE)))
    return { ...record, path: real };
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
  const { longhand, path, approved, uses, left, isMoveDeclined } = value as Readonly<Record<string, unknown>>;
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
    ...(isMoveDeclined === true ? { isMoveDeclined } : {}),
  };
}

export async function writeRecord(state: string, record: WorkspaceRecord): Promise<void> {
  const created = await mkdir(state, { recursive: true, mode: 0o700 });
  const file = join(state, WORKSPACE_FILE);
  const temporary = `${file}.${process.pid}.new`;
  try {
    const text = `${JSON.stringify({ longhand: 1, ...record }, undefined, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
    await syncDirectory(state);
    // A record that a power loss takes away would be read as a first use.
    if (created !== undefined)
      for (const path of parentsOf(state, dirname(created))) await syncDirectory(path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function parentsOf(path: string, last: string): readonly string[] {
  const parent = dirname(path);
  return parent === last || parent === path ? [parent] : [parent, ...parentsOf(parent, last)];
}
