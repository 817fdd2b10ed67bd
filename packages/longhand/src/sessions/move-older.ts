/**
 * Moves what an older version left in a workspace to the home. Refuses while a process has one of the stores open, and never merges two
 * stores: where the home has sessions of this workspace already, both stay as they are.
 */

import { readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";
import type { Places } from "../config/places.ts";
import { type Older, readRecordOf, writeRecord } from "../config/workspace-record.ts";
import { keepRecord } from "../config/workspace-uses.ts";
import { isContainedIn, moveDirectory, type MoveDeps } from "./move-directory.ts";
import { findPlaceholders, olderIn } from "./older-state.ts";

export interface MovePlan {
  readonly workspace: string;
  readonly state: string;
  readonly moves: readonly { readonly name: Older; readonly from: string; readonly to: string }[];
  /** Names of what is empty and can be removed with it. */
  readonly placeholders: readonly string[];
}

export async function planMove({
  real,
  state,
}: Pick<Places["workspace"], "real" | "state">): Promise<MovePlan> {
  const moves = olderIn({ real, state }).map((name) => ({
    name,
    from: join(real, name),
    to: join(state, name),
  }));
  const placeholders = moves.length === 0 ? [] : await findPlaceholders(real);
  return { workspace: real, state, moves, placeholders };
}

/** MOVE_REFUSED: nothing of that store was moved. Checks all of them before it moves the first. */
export async function moveOlder(plan: MovePlan, deps?: MoveDeps): Promise<void> {
  for (const { name, from, to } of plan.moves) {
    await refuseIfOpen(name, from);
    await refuseIfOpen(name, to);
    if (!(await isUnused(name, to)) && !(await isContainedIn(from, to))) {
      throw new CommandError(
        "MOVE_REFUSED",
        `${to} has ${name} already, and two stores are not merged; nothing was moved, and both stay as they are. To read the older ones name them: --${name} ${from}`,
        { detail: { from, to } },
      );
    }
  }
  // What is in the workspace from now on is told from what the older version left.
  await keepRecord(plan.state, plan.workspace);
  for (const { name, from, to } of plan.moves) {
    if (await isUnused(name, to)) await moveOne(name, from, to, deps);
    // A copy that was interrupted before the original was removed.
    else await rm(from, { recursive: true });
    const record = readRecordOf(plan.state, plan.workspace);
    if (record !== undefined) {
      await writeRecord(plan.state, { ...record, left: record.left.filter((each) => each !== name) });
    }
  }
  for (const name of plan.placeholders) await removePlaceholder(join(plan.workspace, name), name);
}

async function moveOne(name: Older, from: string, to: string, deps: MoveDeps | undefined): Promise<void> {
  // It holds no session and no entry.
  await rm(to, { recursive: true, force: true });
  const how = await moveDirectory(from, to, deps);
  if (how !== "renamed") return;
  try {
    await refuseIfOpen(name, to);
  } catch (error) {
    // Another process opened it between the look and the rename.
    await rename(to, from);
    throw error;
  }
}

async function refuseIfOpen(name: Older, directory: string): Promise<void> {
  const { findOwners } = await import("@longhand/store");
  const store = name === "sessions" ? directory : join(directory, "store");
  const open = (await findOwners(store)).find(({ liveness }) => liveness !== "dead");
  if (open === undefined) return;
  const { pid, host } = open;
  throw new CommandError(
    "MOVE_REFUSED",
    `${store} is open in another process (pid ${pid ?? "unknown"} on ${host ?? "an unknown host"}); end that one, then try again`,
    { detail: { store, ...(pid === undefined ? {} : { pid }) } },
  );
}

/** There is no such directory, or a store in which nothing was ever kept. */
async function isUnused(name: Older, directory: string): Promise<boolean> {
  const expected = name === "sessions" ? [".longhand"] : ["store"];
  const names = await namesIn(directory);
  if (names.some((each) => !expected.includes(each))) return false;
  return (
    name === "sessions" || (await namesIn(join(directory, "store"))).every((each) => each === ".longhand")
  );
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function removePlaceholder(path: string, name: string): Promise<void> {
  if (name === "longhand.json") await rm(path);
  else await rmdir(path);
}
