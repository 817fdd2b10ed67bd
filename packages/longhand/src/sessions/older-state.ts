/** What an older version left in a workspace and has not been moved to the home yet. Reads only. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findOlder } from "../config/older-layout.ts";
import { copyPath, setAsidePath } from "../config/move-paths.ts";
import type { Places } from "../config/places.ts";
import { OLDER, type Older, readRecordOf } from "../config/workspace-record.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import type { Output } from "../terminal/output.ts";
import { type StoreSurroundings, warner } from "./with-store.ts";

/** After the first use only what was there then: an agent could create directories that look like it. */
export function olderIn({ real, state }: Pick<Places["workspace"], "real" | "state">): readonly Older[] {
  const left = readRecordOf(state, real)?.left;
  const found = findOlder(real);
  if (left === undefined) return found;
  const isInterrupted = (name: Older): boolean => {
    const [from, to] = [join(real, name), join(state, name)];
    return existsSync(setAsidePath(from)) && (existsSync(copyPath(to)) || existsSync(to));
  };
  return OLDER.filter((name) => left.includes(name) && (found.includes(name) || isInterrupted(name)));
}

export function describeOlder(workspace: string, names: readonly Older[]): string {
  const paths = names.map((name) => {
    const path = join(workspace, name);
    return escapeLine(existsSync(path) ? path : setAsidePath(path));
  });
  return `the workspace has ${names.join(" and ")} of its own, where an older version kept them: ${paths.join(", ")}`;
}

/** Modes and owner do not prove the origin: a clone under umask 077 has the same. */
export const MOVE_RISK =
  "Move them only if they are of the longhand chat: a program of yours that opens them would no longer find them, and a directory from elsewhere, such as a clone, may bring what others wrote.";

const told = new WeakSet<Output>();

/** Once for a command, where its answer is without them. */
export function tellOlder(given: StoreSurroundings): void {
  const { workspace, sessions } = given.places;
  if (sessions.source !== "default" || told.has(given.output)) return;
  // Who said no need not hear of it at every command; doctor still tells.
  if (readRecordOf(workspace.state, workspace.real)?.isMoveDeclined === true) return;
  told.add(given.output);
  const names = olderIn(workspace);
  if (names.length === 0) return;
  const message = `${describeOlder(workspace.path, names)}; to move them to the home: ${given.toPaste("workspace move")}`;
  warner(given)("SESSIONS_OLDER", message, { workspace: workspace.path, names });
}
