/** What an older version left in a workspace and has not been moved to the home yet. Reads only. */

import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findOlder } from "../config/older-layout.ts";
import type { Places } from "../config/places.ts";
import { type Older, readRecordOf } from "../config/workspace-record.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import type { Output } from "../terminal/output.ts";
import { type StoreSurroundings, warner } from "./with-store.ts";

/** After the first use only what was there then: an agent could create directories that look like it. */
export function olderIn({ real, state }: Pick<Places["workspace"], "real" | "state">): readonly Older[] {
  const left = readRecordOf(state, real)?.left;
  return findOlder(real).filter((name) => left === undefined || left.includes(name));
}

export function describeOlder(workspace: string, names: readonly Older[]): string {
  const paths = names.map((name) => escapeLine(join(workspace, name)));
  return `an older version left ${names.join(" and ")} in the workspace: ${paths.join(", ")}`;
}

const told = new WeakSet<Output>();

/** Once for a command, where its answer is without them. */
export function tellOlder(given: StoreSurroundings): void {
  const { workspace, sessions } = given.places;
  if (sessions.source !== "default" || told.has(given.output)) return;
  told.add(given.output);
  const names = olderIn(workspace);
  if (names.length === 0) return;
  const message = `${describeOlder(workspace.path, names)}; to move them to the home: ${given.toPaste("workspace move")}`;
  warner(given)("SESSIONS_OLDER", message, { workspace: workspace.path, names });
}

const PLACEHOLDERS = [".git", ".longhand", "skills", "sessions", "memory"];

/** Empty directories and an empty configuration, which older versions created so that a sandbox could protect them. */
export async function findPlaceholders(workspace: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of PLACEHOLDERS) if (await isEmptyOwn(join(workspace, name))) found.push(name);
  if (await isEmptyConfig(join(workspace, "longhand.json"))) found.push("longhand.json");
  return found;
}

async function isEmptyOwn(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined || !facts.isDirectory() || (facts.mode & 0o777) !== 0o700) return false;
  return (await readdir(path)).length === 0;
}

async function isEmptyConfig(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined || !facts.isFile() || (facts.mode & 0o777) !== 0o600 || facts.size !== 3)
    return false;
  return (await readFile(path, "utf8")) === "{}\n";
}
