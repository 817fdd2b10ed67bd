import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findSkills } from "../../src/skills/find-skills.ts";
import { loadSkillTool } from "../../src/skills/load-skill-tool.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import { put, skillText, withDirectory } from "../support/with-skills.ts";

type Call = (input: Readonly<Record<string, unknown>>) => Promise<string | ToolOutput>;

async function withTool(use: (call: Call, root: string) => Promise<void>): Promise<void> {
  await withDirectory(async (root) => {
    await put(root, {
      "secret.txt": "outside",
      "skills/pdf/SKILL.md": skillText("pdf", "Reads PDFs.", "Read references/forms.md for forms."),
      "skills/pdf/references/forms.md": "How forms work.",
      "skills/pdf/scripts/fill.py": "print()",
      "skills/pdf/.hidden": "x",
      "skills/pdf/assets/image.png": Uint8Array.of(0x89, 0x50, 0xff),
    });
    await symlink(join(root, "secret.txt"), join(root, "skills/pdf/link.txt"));
    await symlink(root, join(root, "skills/pdf/above"));
    const tool = loadSkillTool(await findSkills({ workspace: join(root, "skills") }));
    expect([tool.name, tool.isReadOnly]).toEqual(["load_skill", true]);
    const context = { agent: "a", key: "k", callId: "1", signal: new AbortController().signal };
    await use(async (input) => {
      const parsed = tool.parse(input);
      if ("problem" in parsed) return { content: parsed.problem, isError: true };
      return await tool.run(parsed.input, context);
    }, root);
  });
}

test("gives the text of a skill and lists its files, links and hidden ones left out", async () => {
  await withTool(async (call) => {
    const answer = await call({ name: "pdf" });
    expect(answer).toContain("Read references/forms.md for forms.");
    expect((typeof answer === "string" ? answer : "").match(/^- .*$/gm)).toEqual([
      "- assets/image.png",
      "- references/forms.md",
      "- scripts/fill.py",
    ]);
    expect(answer).toContain("skills/pdf/");
  });
});

test("gives a file of a skill, and nothing that is not in its list", async () => {
  await withTool(async (call) => {
    expect(await call({ name: "pdf", file: "references/forms.md" })).toBe("How forms work.");
    for (const file of ["../../secret.txt", "link.txt", "above/secret.txt", "/etc/passwd", ".hidden", ""]) {
      expect(await call({ name: "pdf", file })).toMatchObject({
        isError: true,
        content: expect.stringContaining("references/forms.md") as string,
      });
    }
    expect(await call({ name: "pdf", file: "assets/image.png" })).toMatchObject({
      isError: true,
      content: expect.stringContaining("no UTF-8") as string,
    });
  });
});

test("without a name, or with one that is not there, it says which there are", async () => {
  await withTool(async (call) => {
    expect(await call({})).toBe("The skills there are: pdf");
    expect(await call({ name: "odf" })).toEqual({
      content: 'There is no skill "odf". The skills there are: pdf',
      isError: true,
    });
    expect(await call({ nam: "pdf" })).toMatchObject({ isError: true });
  });
});
