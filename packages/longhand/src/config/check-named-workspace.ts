/** What --home and --workspace name must be a directory: a typo must not begin, and approve, another workspace. */

import { statSync } from "node:fs";
import { CommandError } from "../command-error.ts";
import type { WorkspaceChoice } from "./choose-workspace.ts";
import { readRecord } from "./workspace-record.ts";
import { workspaceState } from "./workspace-state.ts";

/** For every command. The sessions of a workspace that was moved or removed can still be read. */
export function checkNamedWorkspace(choice: WorkspaceChoice, home: string): void {
  if (choice.by !== "option") return;
  if (readRecord(workspaceState(home, choice.real)) === undefined) checkIsDirectory(choice.path);
}

/** Before an agent works in it. */
export function checkIsDirectory(path: string): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isDirectory() === true) return;
  const message =
    facts === undefined ? `no such directory: ${path}; create it first` : `${path} is not a directory`;
  throw new CommandError("USAGE_INVALID", message, { detail: { workspace: path } });
}

/** STORE_NOT_FOUND: there is something else where the home should be. A home that does not exist yet is created when it is needed. */
export function checkHome(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new CommandError("STORE_NOT_FOUND", `${path} is not a directory`, { detail: { directory: path } });
}
