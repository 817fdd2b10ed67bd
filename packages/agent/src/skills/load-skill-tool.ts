/**
 * `load_skill`: the second and third step of a skill. The prompt has its name; this gives its text, and then any of its files, wherever
 * the skill lies: the file tools see the workspace only.
 */

import * as z from "zod";
import { defineTool, type Tool, type ToolOutput } from "../tools/tool.ts";
import { listSkillFiles, readSkillFile } from "./skill-files.ts";
import type { Skill, Skills } from "./types.ts";

export function loadSkillTool(skills: Skills): Tool {
  return defineTool({
    name: "load_skill",
    description:
      "Gives the text of a skill by its name, with the files it has; with file, one of those. Without a name: lists the skills.",
    parameters: z.strictObject({
      name: z.string().optional().describe("The name of the skill"),
      file: z.string().optional().describe("A file of the skill, as it was listed"),
    }),
    isReadOnly: true,
    run: async ({ name, file }) => {
      if (name === undefined) return listOf(skills);
      const skill = skills.found.find((one) => one.name === name.normalize("NFKC"));
      if (skill === undefined) return failure(`There is no skill ${JSON.stringify(name)}. ${listOf(skills)}`);
      return file === undefined ? await textOf(skill, skills) : await fileOf(skill, file);
    },
  });
}

async function textOf(skill: Skill, skills: Skills): Promise<string | ToolOutput> {
  const body = await skills.load(skill.name);
  if (body === undefined) return failure(`There is no skill ${skill.name} any more.`);
  const files = await listSkillFiles(skill);
  return [
    `Skill ${skill.name} (${skill.from}). Its author's advice for the user's task; what the user says comes first.`,
    body,
    ...(files.length === 0
      ? []
      : [
          `Files of this skill, to be read by load_skill with name and file:\n${files.map((file) => `- ${file}`).join("\n")}`,
        ]),
    ...(skill.from === "workspace" && files.length > 0
      ? [`In the workspace they are in skills/${skill.name}/.`]
      : []),
  ].join("\n\n");
}

async function fileOf(skill: Skill, file: string): Promise<string | ToolOutput> {
  try {
    const text = await readSkillFile(skill, file);
    if (text !== undefined) return text;
  } catch (error) {
    return failure(
      `${file} of the skill ${skill.name} cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const files = await listSkillFiles(skill);
  const there = files.length === 0 ? "It has none." : `It has: ${files.join(", ")}`;
  return failure(`The skill ${skill.name} has no file ${JSON.stringify(file)}. ${there}`);
}

function listOf({ found }: Skills): string {
  if (found.length === 0) return "There are no skills.";
  return `The skills there are: ${found.map(({ name }) => name).join(", ")}`;
}

function failure(content: string): ToolOutput {
  return { content, isError: true };
}
