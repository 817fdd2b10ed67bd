/** Skills: folders with a SKILL.md, by the Agent Skills specification. docs/skills.md */

export const SKILL_ORIGINS = ["workspace", "user", "built-in"] as const;

/** Where a skill was found: the workspace's wins over the user's, the user's over the built-in one. */
export type SkillOrigin = (typeof SKILL_ORIGINS)[number];

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly from: SkillOrigin;
  readonly directory: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What its author thinks it needs. It grants nothing: an agent has the tools that its configuration gives it. */
  readonly allowedTools?: readonly string[];
  /** SHA-256 of SKILL.md, as it was read. */
  readonly hash: string;
}

export interface InvalidSkill {
  readonly directory: string;
  readonly reason: string;
}

export interface Skills {
  readonly found: readonly Skill[];
  readonly invalid: readonly InvalidSkill[];
  /** Names and descriptions for the system prompt; "" where there are none. */
  promptSection(): string;
  /**
   * The body of SKILL.md, read anew. `undefined`: no skill has this name. Where the file is another one than was found, a first line
   * says so; where it is no valid skill any more, SKILL_INVALID.
   */
  load(name: string): Promise<string | undefined>;
}
