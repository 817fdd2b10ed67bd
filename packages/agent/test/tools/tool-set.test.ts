import { describe, expect, test } from "vitest";
import * as z from "zod";
import { loadSkillTool } from "../../src/skills/load-skill-tool.ts";
import { builtInTools } from "../../src/tools/built-in-tools.ts";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";
import { chooseTools } from "../../src/tools/tool-set.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";

const tool = (name: string): Tool =>
  defineTool({ name, description: "", parameters: z.object({}), run: () => "" });
const tools = ["read_file", "write_file", "exec"].map(tool);
const names = (chosen: readonly Tool[]): string[] => chosen.map(({ name }) => name);

describe("chooseTools", () => {
  test("without lists has all", () => {
    expect(names(chooseTools(tools))).toEqual(["read_file", "write_file", "exec"]);
  });

  test("allows only what is listed, and denying wins", () => {
    expect(names(chooseTools(tools, { allow: ["exec", "read_file"] }))).toEqual(["read_file", "exec"]);
    expect(names(chooseTools(tools, { deny: ["exec"] }))).toEqual(["read_file", "write_file"]);
    expect(names(chooseTools(tools, { allow: ["exec", "read_file"], deny: ["exec"] }))).toEqual([
      "read_file",
    ]);
    expect(names(chooseTools(tools, { allow: [] }))).toEqual([]);
  });

  test.each([
    ["ReadFile", /Did you mean read_file\?/],
    ["write-fil", /Did you mean write_file\?/],
    ["exce", /Did you mean exec\?/],
    ["zzzzzzzz", /does not exist\. There are: read_file, write_file, exec/],
  ])("refuses the misspelt name %s in either list", (name, message) => {
    for (const choice of [{ allow: [name] }, { deny: [name] }]) {
      expect(() => chooseTools(tools, choice)).toThrow(
        expect.objectContaining({
          code: "OPTION_INVALID",
          message: expect.stringMatching(message) as string,
        }),
      );
    }
  });

  test("refuses two tools of one name", () => {
    expect(() => chooseTools([...tools, tool("exec")])).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});

test("TOOL_NAMES has the names of all built-in tools, and no other", () => {
  const unused = (): never => {
    throw new Error("nothing is called here");
  };
  const memory = { memory: { remember: unused, recall: unused }, scope: unused };
  const skills = { found: [], invalid: [], promptSection: unused, load: unused };
  const tools = [
    ...builtInTools({ workspace: "/w", sandbox: { unavailable: "", remedy: "" }, memory }),
    loadSkillTool(skills),
  ];
  expect(names(tools)).toEqual([...TOOL_NAMES]);
});
