/**
 * The other workspaces of the home that have sessions: a session that is not found here may be there. Looks at the names of files
 * only, up to the first session of each.
 */

import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { findWorkspaces } from "../config/find-workspaces.ts";
import type { Places } from "../config/places.ts";
import { DEFAULT_WORKSPACE } from "../config/workspace-state.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { countOf } from "../terminal/format-count.ts";

export interface OtherWorkspace {
  /** For --workspace. */
  readonly path: string;
  readonly sessions: string;
  /** `false`: its directory was moved or removed; its sessions can still be read. */
  readonly exists: boolean;
}

/** None where the command was given a store by --sessions: then no workspace decides. `current`: the store that was looked into. */
export async function findOtherWorkspaces(
  places: Places,
  current: string = places.sessions.path,
): Promise<readonly OtherWorkspace[]> {
  if (places.sessions.source === "option") return [];
  const home = places.home.path;
  const known = await findWorkspaces(home);
  const all: OtherWorkspace[] = [
    { path: join(home, DEFAULT_WORKSPACE), sessions: join(home, "sessions"), exists: true },
    ...known.map(({ path, state, exists }) => ({ path, sessions: join(state, "sessions"), exists })),
  ];
  const others: OtherWorkspace[] = [];
  for (const other of all) {
    if (other.sessions !== current && (await hasSessionFiles(other.sessions))) others.push(other);
  }
  return others;
}

export async function hasSessionFiles(directory: string): Promise<boolean> {
  try {
    for await (const { name } of await opendir(directory)) if (name.endsWith(".jsonl")) return true;
    return false;
  } catch {
    // Not there, or not ours to read: then it is no place to point to.
    return false;
  }
}

const SHOWN = 5;

/** A command for each, `words` with its --workspace. */
export function commandsElsewhere(
  others: readonly OtherWorkspace[],
  words: string,
  toPaste: ToPaste,
): string[] {
  const lines = others.slice(0, SHOWN).map(({ path }) => toPaste(words, undefined, { workspace: path }));
  const more = others.length - SHOWN;
  return more <= 0
    ? lines
    : [...lines, `… and ${countOf(more, "more workspace")}: ${toPaste("workspace list")}`];
}
