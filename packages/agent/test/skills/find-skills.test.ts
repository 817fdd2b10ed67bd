import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../../../test/support/run-command.ts";
import { isAgentError } from "../../src/errors.ts";
import { BUILT_IN_SKILLS, findSkills } from "../../src/skills/find-skills.ts";
import { put, skillText, withDirectory } from "../support/with-skills.ts";

const BIDI = String.fromCodePoint(0x202e);
const TAG = String.fromCodePoint(0xe0041);

describe("discovery", () => {
  test("the workspace's skill wins over the user's, the user's over the built-in one", async () => {
    await withDirectory(async (root) => {
      await put(root, {
        "workspace/one/SKILL.md": skillText("one", "of the workspace"),
        "user/one/SKILL.md": skillText("one", "of the user"),
        "user/two/SKILL.md": skillText("two", "of the user"),
        "built-in/one/SKILL.md": skillText("one", "built in"),
        "built-in/two/SKILL.md": skillText("two", "built in"),
        "built-in/three/SKILL.md": skillText("three", "built in"),
      });
      const skills = await findSkills({
        workspace: join(root, "workspace"),
        user: join(root, "user"),
        builtIn: join(root, "built-in"),
      });
      expect(skills.found.map(({ name, from, description }) => [name, from, description])).toEqual([
        ["one", "workspace", "of the workspace"],
        ["three", "built-in", "built in"],
        ["two", "user", "of the user"],
      ]);
      expect(skills.invalid).toEqual([]);
    });
  });

  test("places that are not there have no skills, and files and hidden directories are passed over", async () => {
    await withDirectory(async (root) => {
      await put(root, { "README.md": "hello", ".git/config": "x" });
      for (const workspace of [root, join(root, "nowhere")]) {
        const skills = await findSkills({ workspace });
        expect([skills.found, skills.invalid, skills.promptSection()]).toEqual([[], [], ""]);
      }
      const skills = await findSkills({ user: join(root, "README.md") });
      expect(skills.invalid).toEqual([
        { directory: join(root, "README.md"), reason: expect.stringContaining("ENOTDIR") as string },
      ]);
    });
  });

  test("all fields are read as text", async () => {
    await withDirectory(async (root) => {
      const text =
        "\ufeff---\r\nname: pdf\r\ndescription: >-\r\n  Reads\r\n  PDFs.\r\nlicense: MIT\r\ncompatibility: needs qpdf\r\n" +
        "metadata:\r\n  version: 1.0\r\n  draft: true\r\n  __proto__: x\r\nallowed-tools: Bash(git add:*) Read\r\n---\r\nBody\r\n";
      await put(root, { "pdf/SKILL.md": text });
      const { found, invalid } = await findSkills({ user: root });
      expect(invalid).toEqual([]);
      expect(found).toEqual([
        {
          name: "pdf",
          description: "Reads PDFs.",
          from: "user",
          directory: join(root, "pdf"),
          license: "MIT",
          compatibility: "needs qpdf",
          metadata: Object.fromEntries([
            ["version", "1.0"],
            ["draft", "true"],
            ["__proto__", "x"],
          ]),
          allowedTools: ["Bash(git add:*)", "Read"],
          hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
      ]);
    });
  });

  test("the skills that come with the package are valid", async () => {
    const { found, invalid } = await findSkills({ builtIn: BUILT_IN_SKILLS });
    expect(invalid).toEqual([]);
    expect(found.map(({ name }) => name)).toEqual(["longhand-sessions", "write-a-skill"]);
  });
});

describe("prose that is no YAML is taken as it stands", () => {
  test.each([
    ["description: Use when: user says PDF", "Use when: user says PDF"],
    ["description: @mentions and `code`: always", "@mentions and `code`: always"],
    ["description: Use when: user\n  says PDF", "Use when: user says PDF"],
    ['description: Say "yes": then go', 'Say "yes": then go'],
  ])("%s", async (line, expected) => {
    await withDirectory(async (root) => {
      await put(root, { "a/SKILL.md": `---\nname: a\n${line}\nmetadata:\n  k: v\n---\nx` });
      const { found, invalid } = await findSkills({ user: root });
      expect(invalid).toEqual([]);
      expect(found[0]).toMatchObject({ description: expected, metadata: { k: "v" } });
    });
  });
});

const bomb = `---\nname: a\ndescription: x\nmetadata:\n  a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
  { length: 20 },
  (_, index) => `  b${index}: &b${index} [*a,*a,*a,*a,*a,*a,*a,*a]\n`,
).join("")}---\n`;

describe("an invalid skill is reported by its directory and reason, and the others load", () => {
  test.each<[string, string | Uint8Array, string]>([
    ["aliases that multiply (S5)", bomb, "anchor or alias"],
    ["an anchor alone", "---\nname: a\ndescription: &x y\n---\n", "anchor or alias"],
    ["a tag that makes a function (S5)", "---\nname: a\ndescription: !!js/function 'x'\n---\n", "YAML tag"],
    ["a tag of one's own", "---\nname: a\ndescription: !x y\n---\n", "YAML tag"],
    ["a tag behind broken YAML", "---\nname: a\ndescription: Use: it: now\nlicense: !x y\n---\n", "YAML tag"],
    ["a fence that names a language", "---js\nmodule.exports = {}\n---\n", "must be --- alone"],
    [
      "frontmatter of more than 64 KB (S6)",
      `---\nname: a\ndescription: x\n# ${"x".repeat(65_536)}\n---\n`,
      "longer than 64 KB",
    ],
    ["a file of more than 512 KB", skillText("a", "x", "x".repeat(524_288)), "longer than 512 KB"],
    ["no frontmatter (S7)", "# Hello\n", "no frontmatter"],
    ["frontmatter without an end", "---\nname: a\n", "no end"],
    ["empty frontmatter", "---\n---\n", "no fields"],
    ["a list for frontmatter", "---\n- a\n---\n", "no fields"],
    ["broken YAML", "---\nname: [a\n---\n", "not YAML"],
    ["two of one field", "---\nname: a\ndescription: x\ndescription: y\n---\n", "not YAML"],
    ["an unknown field", "---\nname: a\ndescription: x\nversion: 1\n---\n", '"version"'],
    ["a field called __proto__", "---\nname: a\ndescription: x\n__proto__: y\n---\n", '"__proto__"'],
    ["no name", "---\ndescription: x\n---\n", "no name"],
    ["no description", "---\nname: a\n---\n", "no description"],
    ["an empty description", "---\nname: a\ndescription:\n---\n", "description is empty"],
    ["a description of 1025 characters", skillText("a", "x".repeat(1025)), "1025 characters, more than 1024"],
    [
      "compatibility of 501 characters",
      `---\nname: a\ndescription: x\ncompatibility: ${"x".repeat(501)}\n---\n`,
      "more than 500",
    ],
    ["metadata that is text", "---\nname: a\ndescription: x\nmetadata: y\n---\n", "metadata must be"],
    [
      "metadata within metadata",
      "---\nname: a\ndescription: x\nmetadata:\n  k: [v]\n---\n",
      "metadata.k must be text",
    ],
    ["a name with a path in it (S8)", skillText("../x"), "is none"],
    ["a name with capitals", skillText("A"), "is none"],
    ["another name than its directory's", skillText("b"), "its directory another"],
    [
      "a bidi override in the body (S11)",
      skillText("a", "x", `one\ntwo ${BIDI}`),
      "line 7 has a hidden character (U+202E)",
    ],
    [
      "invisible tags in the description (S11)",
      skillText("a", `x${TAG}`),
      "line 3 has a hidden character (U+E0041)",
    ],
    ["an escape character", skillText("a", "x", "\u001b[2J"), "U+001B"],
    ["bytes that are no UTF-8", Uint8Array.of(0x2d, 0xff, 0xfe), "no UTF-8"],
  ])("%s", async (_, content, reason) => {
    await withDirectory(async (root) => {
      await put(root, { "a/SKILL.md": content, "good/SKILL.md": skillText("good") });
      const { found, invalid } = await findSkills({ workspace: root });
      expect(found.map(({ name }) => name)).toEqual(["good"]);
      expect(invalid).toEqual([
        { directory: join(root, "a"), reason: expect.stringContaining(reason) as string },
      ]);
    });
  });

  test("a name that is too long, hyphens in wrong places", async () => {
    await withDirectory(async (root) => {
      const bad = ["x".repeat(65), "-a", "a-", "a--b", "a_b", "a b"];
      for (const name of bad) await put(root, { [`${name}/SKILL.md`]: skillText(name) });
      await put(root, { [`${"y".repeat(64)}/SKILL.md`]: skillText("y".repeat(64)) });
      const { found, invalid } = await findSkills({ user: root });
      expect(found).toHaveLength(1);
      expect(invalid).toHaveLength(bad.length);
    });
  });

  test("links, for the directory, SKILL.md or a workspace's skills, are not followed", async () => {
    await withDirectory(async (root) => {
      await put(root, { "real/a/SKILL.md": skillText("a"), "real/b/SKILL.md": skillText("b") });
      await mkdir(join(root, "skills/b"), { recursive: true });
      await symlink(join(root, "real/a"), join(root, "skills/a"));
      await symlink(join(root, "real/b/SKILL.md"), join(root, "skills/b/SKILL.md"));
      const skills = await findSkills({ user: join(root, "skills") });
      expect(skills.found).toEqual([]);
      expect(skills.invalid.map(({ reason }) => reason)).toEqual([
        "it is a symbolic link: copy the directory here",
        "its SKILL.md is a symbolic link",
      ]);
      await symlink(join(root, "real"), join(root, "linked"));
      const linked = await findSkills({ workspace: join(root, "linked") });
      expect([linked.found, linked.invalid.length]).toEqual([[], 1]);
      expect((await findSkills({ user: join(root, "linked") })).found).toHaveLength(2);
    });
  });

  test("a directory without SKILL.md, a SKILL.md that is a directory or a pipe", async () => {
    await withDirectory(async (root) => {
      await mkdir(join(root, "a"));
      await mkdir(join(root, "b/SKILL.md"), { recursive: true });
      await mkdir(join(root, "c"));
      expect((await runCommand("mkfifo", [join(root, "c/SKILL.md")], root)).exitCode).toBe(0);
      const { invalid } = await findSkills({ user: root });
      expect(invalid.map(({ reason }) => reason)).toEqual([
        "it has no SKILL.md",
        expect.stringContaining("no regular file"),
        expect.stringContaining("no regular file"),
      ]);
    });
  });

  test("two directories that are one name", async () => {
    await withDirectory(async (root) => {
      const [one, other] = ["caf\u00e9", "cafe\u0301"];
      await put(root, { [`${one}/SKILL.md`]: skillText(one), [`${other}/SKILL.md`]: skillText(other) });
      const { found, invalid } = await findSkills({ user: root });
      expect(found.map(({ name }) => name)).toEqual([one]);
      expect(invalid[0]?.reason).toContain("another directory beside it");
    });
  });

  test("an invalid one in the workspace leaves the user's in place", async () => {
    await withDirectory(async (root) => {
      await put(root, { "workspace/a/SKILL.md": "x", "user/a/SKILL.md": skillText("a") });
      const skills = await findSkills({ workspace: join(root, "workspace"), user: join(root, "user") });
      expect(skills.found).toMatchObject([{ name: "a", from: "user" }]);
      expect(skills.invalid).toHaveLength(1);
    });
  });
});

describe("load", () => {
  test("gives the body; of a name that is not there, nothing", async () => {
    await withDirectory(async (root) => {
      await put(root, { "a/SKILL.md": skillText("a", "x", "Do this.\n\n---\n\nThen that.") });
      const skills = await findSkills({ user: root });
      expect(await skills.load("a")).toBe("Do this.\n\n---\n\nThen that.");
      for (const name of ["b", "../a", "", "__proto__"]) expect(await skills.load(name)).toBeUndefined();
    });
  });

  test("says that the file has changed, and refuses what is no skill any more", async () => {
    await withDirectory(async (root) => {
      await put(root, { "a/SKILL.md": skillText("a") });
      const skills = await findSkills({ user: root });
      await put(root, { "a/SKILL.md": skillText("a", "x", "Another body.") });
      expect(await skills.load("a")).toMatch(/^\[SKILL\.md has changed .*\]\n\nAnother body\.$/);
      await put(root, { "a/SKILL.md": skillText("a", "x", `hidden${TAG}`) });
      const error: unknown = await skills.load("a").catch((thrown: unknown) => thrown);
      expect(isAgentError(error, "SKILL_INVALID")).toBe(true);
      expect(String(error)).toContain("U+E0041");
    });
  });
});
