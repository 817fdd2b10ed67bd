/** One skill's directory: its SKILL.md, read and checked. Nothing of a skill is ever run here. */

import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { checkFields } from "./check-fields.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { readTextFile } from "./read-text-file.ts";
import { splitFrontmatter } from "./split-frontmatter.ts";
import type { Skill, SkillOrigin } from "./types.ts";

export const SKILL_FILE = "SKILL.md";
const MAX_BYTES = 512 * 1024;

export interface ReadSkill {
  readonly skill: Skill;
  readonly body: string;
}

/** Throws an Error whose message is the reason why it is no skill. */
export async function readSkill(directory: string, from: SkillOrigin): Promise<ReadSkill> {
  const text = await readSkillFile(join(directory, SKILL_FILE));
  const { frontmatter, body } = splitFrontmatter(text);
  const fields = checkFields(parseFrontmatter(frontmatter), basename(directory));
  const hash = createHash("sha256").update(text).digest("hex");
  return { skill: { ...fields, from, directory, hash }, body };
}

async function readSkillFile(path: string): Promise<string> {
  try {
    return await readTextFile(path, MAX_BYTES);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new Error(`it has no ${SKILL_FILE}`, { cause: error });
    if (code === "ELOOP") throw new Error(`its ${SKILL_FILE} is a symbolic link`, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`its ${SKILL_FILE} cannot be used: ${reason}`, { cause: error });
  }
}
