/**
 * Moves what an older version left in a workspace to the home. Refuses while a process has one of the stores open, and never merges two
 * stores: where the home has sessions of this workspace already, both stay as they are. Nothing else in the workspace is touched.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";
import type { Places } from "../config/places.ts";
import { type Older, readRecordOf, writeRecord } from "../config/workspace-record.ts";
import { keepRecord } from "../config/workspace-uses.ts";
import { isContainedIn } from "./is-contained-in.ts";
import { DISK, moveDirectory, type MoveDeps, recoverMove, removeContained } from "./move-directory.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { namesIn } from "./names-in.ts";
import { olderIn } from "./older-state.ts";

export interface MovePlan {
  readonly workspace: string;
  readonly state: string;
  readonly moves: readonly PlannedMove[];
}

interface PlannedMove {
  readonly name: Older;
  readonly from: string;
  readonly to: string;
}

export function planMove({ real, state }: Pick<Places["workspace"], "real" | "state">): MovePlan {
  const moves = olderIn({ real, state }).map((name) => ({
    name,
    from: join(real, name),
    to: join(state, name),
  }));
  return { workspace: real, state, moves };
}

/** With the way back: a program of the user's may need them where they were. */
export function movedText({ moves }: MovePlan): string {
  const lines = moves.map(({ from, to }) => `  mv ${shellQuote(to)} ${shellQuote(from)}\n`);
  return `Moved. To move them back, while no longhand runs:\n${lines.join("")}`;
}

/** MOVE_REFUSED: nothing of that store was moved. Checks all of them before it moves the first. */
export async function moveOlder(plan: MovePlan, deps: MoveDeps = DISK): Promise<void> {
  for (const { from, to } of plan.moves) await recoverMove(from, to, deps);
  for (const planned of plan.moves) await refuseUnlessMovable(planned);
  // What is in the workspace from now on is told from what the older version left.
  await keepRecord(plan.state, plan.workspace);
  for (const planned of plan.moves) {
    await moveOne(planned, deps);
    const record = readRecordOf(plan.state, plan.workspace);
    if (record !== undefined) {
      await writeRecord(plan.state, { ...record, left: record.left.filter((each) => each !== planned.name) });
    }
  }
}

async function refuseUnlessMovable({ name, from, to }: PlannedMove): Promise<void> {
  if (!existsSync(from)) return;
  await refuseIfOpen(name, from);
  await refuseIfOpen(name, to);
  if ((await isUnused(name, to)) || (await isContainedIn(from, to))) return;
  throw new CommandError(
    "MOVE_REFUSED",
    `${to} has ${name} already, and two stores are not merged; nothing was moved, and both stay as they are. To read the older ones name them: --${name} ${from}`,
    { detail: { from, to } },
  );
}

async function moveOne({ name, from, to }: PlannedMove, deps: MoveDeps): Promise<void> {
  // An interrupted move of it is finished.
  if (!existsSync(from)) return;
  const move = {
    from,
    to,
    refuseIfOpen: async (directory: string) => await refuseIfOpen(name, directory),
  };
  if (!(await isUnused(name, to))) {
    await removeContained(move, deps);
    return;
  }
  await removeUnused(name, to, deps);
  await moveDirectory(move, deps);
}

/** By a rename first: a process may have opened it, and kept something in it, since it was looked at. */
async function removeUnused(name: Older, directory: string, deps: MoveDeps): Promise<void> {
  const unused = `${directory}.unused`;
  if (existsSync(directory)) await deps.rename(directory, unused);
  try {
    await refuseIfOpen(name, unused);
    if (!(await isUnused(name, unused))) throw new CommandError("MOVE_REFUSED", `${unused} is in the way`);
  } catch (error) {
    if (!existsSync(directory)) await deps.rename(unused, directory);
    throw error;
  }
  await deps.remove(unused);
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
