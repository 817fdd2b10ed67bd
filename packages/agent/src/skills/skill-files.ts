/** The files that lie beside a SKILL.md: scripts, references, assets. Links are neither listed nor followed. */

import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { readTextFile } from "./read-text-file.ts";
import { SKILL_FILE } from "./read-skill.ts";
import type { Skill } from "./types.ts";

const MOST_FILES = 200;
const DEEPEST = 4;
const MAX_BYTES = 48 * 1024;

/** Relative to the skill's directory, with forward slashes, sorted; at most two hundred. */
export async function listSkillFiles({ directory }: Skill): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (within: string, depth: number): Promise<void> => {
    const entries = await readdir(join(directory, within), { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (files.length === MOST_FILES || entry.name.startsWith(".")) continue;
      const path = within === "" ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory() && depth < DEEPEST) await visit(path, depth + 1);
      else if (entry.isFile() && path !== SKILL_FILE) files.push(path);
    }
  };
  await visit("", 1);
  return files;
}

/** `undefined`: it is none of `listSkillFiles`. Throws an Error whose message is why it cannot be shown. */
export async function readSkillFile(skill: Skill, file: string): Promise<string | undefined> {
  if (!(await listSkillFiles(skill)).includes(file)) return undefined;
  const root = await realpath(skill.directory);
  const path = await realpath(join(root, ...file.split("/")));
  // A directory on the way may have become a link since it was listed.
  if (path !== root + sep + file.split("/").join(sep)) return undefined;
  return await readTextFile(path, MAX_BYTES);
}
