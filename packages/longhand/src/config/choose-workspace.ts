/**
 * Which directory is the workspace: the one named by --workspace; else the current directory, if the user has approved it; else the
 * default one in the home. Reads records only; asking the user is up to the chat.
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import { findOlder } from "./older-layout.ts";
import { realPath } from "./real-path.ts";
import { unsafeWorkspace } from "./unsafe-workspace.ts";
import { workspaceBounds } from "./workspace-bounds.ts";
import { type Older, readRecord, readRecordOf } from "./workspace-record.ts";
import { DEFAULT_WORKSPACE, workspaceState } from "./workspace-state.ts";

export type WorkspaceChoice =
  | { readonly by: "option" | "current"; readonly path: string; readonly real: string }
  | {
      readonly by: "default";
      readonly real: string;
      /** What is still where an older version kept it. */
      readonly older: readonly Older[];
      readonly current: CurrentDirectory;
    };

/** Why the current directory is not the workspace. */
export type CurrentDirectory =
  | { readonly state: "unapproved"; readonly path: string; readonly real: string }
  | { readonly state: "unsafe"; readonly path: string; readonly reason: string }
  /** It is in Longhand's own directory, or the current directory is not to be used. */
  | { readonly state: "not-asked" };

export interface ChoiceDeps {
  readonly home: string;
  readonly userHomes: readonly string[];
  readonly currentDirectory: string;
}

export function chooseWorkspace(option: string | undefined, deps: ChoiceDeps): WorkspaceChoice {
  const bounds = workspaceBounds(deps.home, deps.userHomes);
  if (option !== undefined) {
    const path = resolve(deps.currentDirectory, option);
    const real = realPath(path);
    if (real === realPath(join(deps.home, DEFAULT_WORKSPACE))) return defaultWorkspace(deps.home);
    const reason = unsafeWorkspace(real, bounds);
    if (reason === undefined) return { by: "option", path, real };
    throw new CommandError(
      "USAGE_INVALID",
      `${path} ${reason}: it cannot be a workspace; choose a directory for the work`,
      {
        detail: { workspace: path },
      },
    );
  }
  const path = deps.currentDirectory;
  const real = realPath(path);
  const isOwn = real === bounds.home || real.startsWith(join(bounds.home, "/"));
  if (isOwn) return defaultWorkspace(deps.home);
  const reason = unsafeWorkspace(real, bounds);
  if (reason !== undefined) return defaultWorkspace(deps.home, { state: "unsafe", path, reason });
  const record = readRecordOf(workspaceState(deps.home, real), real);
  return record !== undefined && record.approved !== null
    ? { by: "current", path, real }
    : defaultWorkspace(deps.home, { state: "unapproved", path, real });
}

export function defaultWorkspace(
  home: string,
  current: CurrentDirectory = { state: "not-asked" },
): WorkspaceChoice {
  const real = realPath(join(home, DEFAULT_WORKSPACE));
  return { by: "default", real, current, older: olderInUse(home, real) };
}

function olderInUse(home: string, real: string): readonly Older[] {
  const record = readRecord(home);
  const left = record === "damaged" ? [] : record?.left;
  return findOlder(real).filter(
    (name) => (left === undefined || left.includes(name)) && !existsSync(join(home, name)),
  );
}
