/**
 * Finds the skills there are. A name that several places have belongs to the first of workspace, user and built-in: a user can so
 * replace a built-in skill. What is no valid skill is reported with its reason and stops nobody else's.
 */

import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { AgentError } from "../errors.ts";
import { promptSection } from "./prompt-section.ts";
import { readSkill, SKILL_FILE } from "./read-skill.ts";
import { type InvalidSkill, type Skill, SKILL_ORIGINS, type SkillOrigin, type Skills } from "./types.ts";

export interface SkillPlaces {
  readonly workspace?: string;
  readonly user?: string;
  readonly builtIn?: string;
}

/** The directory of the skills that come with this package. */
export const BUILT_IN_SKILLS: string = fileURLToPath(new URL("../../skills", import.meta.url));

/** In one place. Beyond that it is no collection of skills but a mistake, such as a home directory. */
const MOST_SKILLS = 500;

/** Each is a directory of skill directories; one that is not there has none. Never rejects because of what is in them. */
export async function findSkills(places: SkillPlaces): Promise<Skills> {
  const directories = { workspace: places.workspace, user: places.user, "built-in": places.builtIn };
  const found = new Map<string, Skill>();
  const invalid: InvalidSkill[] = [];
  for (const from of SKILL_ORIGINS) {
    const root = directories[from];
    if (root === undefined) continue;
    const here = await findIn(root, from);
    invalid.push(...here.invalid);
    for (const skill of here.skills) if (!found.has(skill.name)) found.set(skill.name, skill);
  }
  const skills = [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    found: skills,
    invalid,
    promptSection: () => promptSection(skills),
    load: async (name) => {
      const skill = found.get(name.normalize("NFKC"));
      return skill === undefined ? undefined : await loadBody(skill);
    },
  };
}

interface SkillsHere {
  readonly skills: readonly Skill[];
  readonly invalid: readonly InvalidSkill[];
}

async function findIn(root: string, from: SkillOrigin): Promise<SkillsHere> {
  const skills = new Map<string, Skill>();
  const invalid: InvalidSkill[] = [];
  let entries: readonly Dirent[];
  try {
    entries = await entriesOf(root, from);
  } catch (error) {
    return { skills: [], invalid: [{ directory: root, reason: reasonOf(error) }] };
  }
  for (const entry of entries) {
    const directory = join(root, entry.name);
    try {
      if (entry.isSymbolicLink()) throw new Error("it is a symbolic link: copy the directory here");
      const { skill } = await readSkill(directory, from);
      if (skills.has(skill.name)) throw new Error(`another directory beside it is the skill ${skill.name}`);
      skills.set(skill.name, skill);
    } catch (error) {
      invalid.push({ directory, reason: reasonOf(error) });
    }
  }
  return { skills: [...skills.values()], invalid };
}

async function entriesOf(root: string, from: SkillOrigin): Promise<Dirent[]> {
  try {
    // The user's own may be linked from where they keep such things; a workspace may be anybody's.
    if (from === "workspace" && (await lstat(root)).isSymbolicLink()) {
      throw new Error("it is a symbolic link, which is not followed in a workspace");
    }
    const entries = (await readdir(root, { withFileTypes: true }))
      .filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink()))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    if (entries.length > MOST_SKILLS)
      throw new Error(`it has more than ${MOST_SKILLS} directories: none is taken`);
    return entries;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function loadBody(skill: Skill): Promise<string> {
  const { directory, from, hash, name } = skill;
  try {
    const now = await readSkill(directory, from);
    if (now.skill.hash === hash) return now.body;
    return `[${SKILL_FILE} has changed since this program found it. This is the new text.]\n\n${now.body}`;
  } catch (error) {
    const message = `the skill ${name} in ${directory} can no longer be used: ${reasonOf(error)}`;
    throw new AgentError("SKILL_INVALID", message, { name, directory }, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
