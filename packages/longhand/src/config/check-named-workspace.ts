/** A directory that is named by --workspace must exist: a typo must not begin, and approve, another workspace. */

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
