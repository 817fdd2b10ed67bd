/** Documents are held to what they say: links lead somewhere, examples run, tables agree with the files they describe. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findTypeErrors } from "./support/compile.ts";
import { findBrokenLinks, type Repository } from "./support/find-broken-links.ts";
import { readCodeBlocks, readLinks, readTableRows, withoutCodeBlocks } from "./support/markdown.ts";
import { readBenchPackageJson, readPackageJson } from "./support/package-json.ts";
import { PACKAGES, readProjectFile, readTextFiles, ROOT } from "./support/project.ts";
import { runCommand } from "./support/run-command.ts";
import { runExample } from "./support/run-example.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

const documents = readTextFiles(ROOT, (path) => path.endsWith(".md"));

describe("links", () => {
  const onDisk: Repository = { exists: (path) => existsSync(join(ROOT, path)), read: readProjectFile };

  test.each(documents.map((document) => [document.path, document] as const))(
    "of %s lead somewhere",
    (_, document) => {
      expect(findBrokenLinks(document, onDisk)).toEqual([]);
    },
  );

  test("that lead nowhere are found", () => {
    const repository: Repository = {
      exists: (path) => [".", "README.md", "docs", "docs/page.md"].includes(path),
      read: () => "# The `one` heading\n## Again\n## Again\n",
    };
    const broken = (text: string): number =>
      findBrokenLinks({ path: "docs/page.md", text }, repository).length;
    for (const link of [
      "no.md",
      "../docs/no.md",
      "#none",
      "../README.md#none",
      "/README.md",
      "../../other.md",
    ]) {
      expect(broken(`see [it](${link})`)).toBe(1);
      expect(broken(`[it]: ${link}`)).toBe(1);
    }
    for (const link of [
      "../README.md",
      "..",
      "#the-one-heading",
      "page.md#again-1",
      "https://example.org/x",
    ]) {
      expect(broken(`see [it](${link})`)).toBe(0);
    }
    expect(broken("`[code](no.md)`\n```\n[code](no.md)\n```\n")).toBe(0);
  });

  test("of README.md lead to every page of docs/ and to the decisions", () => {
    const links = readLinks(readProjectFile("README.md"));
    const pages = documents.map(({ path }) => path).filter((path) => /^docs\/[^/]+\.md$/.test(path));
    expect(pages.length).toBeGreaterThan(5);
    expect(links).toEqual(expect.arrayContaining(pages));
    expect(links).toContain("docs/decisions/");
  });
});

describe("examples", () => {
  const blocksOf = (path: string, language: string): string[] =>
    readCodeBlocks(readProjectFile(path))
      .filter((block) => block.language === language)
      .map(({ text }) => text);
  const typeErrorsIn = (program: string): string[] => {
    const path = join(ROOT, "test/example.ts");
    return findTypeErrors(path, { [path]: program });
  };

  // The blocks of a page are one program: a later one may use what an earlier one made.
  test.each([
    "README.md",
    "packages/store/README.md",
    "docs/store.md",
    "docs/session-store.md",
    "docs/messages.md",
    "docs/context.md",
    "docs/memory.md",
  ])("of %s compile and run", async (path) => {
    const program = blocksOf(path, "ts").join("\n");
    expect(program).toContain("openStore");
    expect(typeErrorsIn(program)).toEqual([]);
    const { exitCode, stderr } = await runExample(program, await temporaryDirectory());
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("of docs/kernel.md compile and run", async () => {
    const program = blocksOf("docs/kernel.md", "ts").join("\n");
    expect(typeErrorsIn(program)).toEqual([]);
    const { exitCode, stdout, stderr } = await runExample(program, await temporaryDirectory());
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "7\n", stderr: "" });
  });

  test.each(["docs/agent.md", "packages/agent/README.md"])("of %s compile and run", async (path) => {
    const program = blocksOf(path, "ts").join("\n");
    expect(program).toContain("openLoop");
    expect(typeErrorsIn(program)).toEqual([]);
    const { exitCode, stdout, stderr } = await runExample(program, await temporaryDirectory());
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("answered");
  });

  test("the agent of docs/tutorial.md keeps its conversation from one run to the next", async () => {
    const [program = ""] = blocksOf("docs/tutorial.md", "js");
    // A model that happens to run on this machine must not answer here.
    const withoutOllama = program.replace("await findLocalModel()", "{}");
    expect(withoutOllama).not.toBe(program);
    const directory = await temporaryDirectory();
    const first = await runExample(withoutOllama, directory, "coffee 3.50\nhello\n");
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first.stdout).toContain("> Noted: coffee, 3.50.\n> Tell me what");
    const again = await runCommand(process.execPath, ["example.mjs"], directory, "train ticket 24\n");
    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    const expenses = await readFile(join(directory, "workspace/expenses.csv"), "utf8");
    expect(expenses).toBe('"coffee",3.50\n"train ticket",24.00\n');
    const log = await readFile(join(directory, "sessions/expenses.jsonl"), "utf8");
    for (const said of ["coffee 3.50", "hello", "train ticket 24"]) expect(log).toContain(said);
  });

  test("README.md prints what it says", async () => {
    const [program] = blocksOf("README.md", "ts");
    const [printed] = blocksOf("README.md", "text");
    const { stdout } = await runExample(program ?? "", await temporaryDirectory());
    expect(stdout).toBe(printed);
  });

  test("with a mistake are noticed", async () => {
    const forgotten = 'import { openStore } from "@longhand/store";\nconst store = await openStore();\n';
    expect(typeErrorsIn(`${forgotten}console.log(store);`)).toHaveLength(1);
    const { exitCode } = await runExample(forgotten, await temporaryDirectory());
    expect(exitCode).toBe(1);
  });
});

describe("placeholders", () => {
  /** A line that is one word in capitals stands for something that was to be written there. */
  const placeholdersIn = (text: string): string[] =>
    withoutCodeBlocks(text)
      .split("\n")
      .filter((line) => /^[A-Z][A-Z0-9_-]+[.:]?$/.test(line.trim()));

  test("are in no document", () => {
    const found = documents.flatMap(({ path, text }) =>
      placeholdersIn(text).map((line) => `${path}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  test("are found where they are", () => {
    expect(placeholdersIn("One.\n\nMEASURED\n\n TO_DO: \n")).toEqual(["MEASURED", " TO_DO: "]);
    expect(placeholdersIn("# MIT\nJSONL is one.\n- MIT\n```text\nOK\n```\nA\n")).toEqual([]);
  });
});

describe("docs/dependencies.md", () => {
  const workspace = ["longhand-workspace", ...PACKAGES.map((name) => readPackageJson(name).name)];

  test("lists the dependencies that the package.json files have, in the same versions", () => {
    const listed = readTableRows(readProjectFile("docs/dependencies.md"))
      .map(([name = "", version, usedBy]) => [name.replaceAll("`", ""), version, usedBy])
      .sort();
    const { devDependencies, overrides } = readPackageJson();
    const rowsOf = (versions: Readonly<Record<string, string>> | undefined, usedBy: string): string[][] =>
      Object.entries(versions ?? {})
        .filter(([name]) => !workspace.includes(name))
        .map(([name, version]) => [name, version, usedBy]);
    const actual = [
      ...rowsOf(devDependencies, "development"),
      ...rowsOf(overrides, "development, through vitest"),
      ...rowsOf(readBenchPackageJson().dependencies, "`bench`"),
      ...PACKAGES.flatMap((name) =>
        rowsOf(readPackageJson(name).dependencies, `\`${readPackageJson(name).name}\``),
      ),
    ];
    expect(listed).toEqual(actual.sort());
  });

  test("has exact versions only", () => {
    for (const [name = "", version = ""] of readTableRows(readProjectFile("docs/dependencies.md"))) {
      expect(`${name} ${version}`).toMatch(/^\S+ \d+\.\d+\.\d+$/);
    }
  });
});

test("decisions are numbered without a gap and have the four parts", () => {
  const decisions = documents.filter(({ path }) => path.startsWith("docs/decisions/"));
  expect(decisions.length).toBeGreaterThan(0);
  decisions.forEach(({ path, text }, index) => {
    expect(path).toMatch(
      new RegExp(`^docs/decisions/${String(index + 1).padStart(4, "0")}-[a-z0-9-]+\\.md$`),
    );
    for (const part of ["## Context", "## Decision", "## Consequences", "## Alternatives"]) {
      expect(text, path).toContain(`${part}\n`);
    }
  });
});

describe("no file names the machine it was written on, or where packages are fetched from", () => {
  // Put together here, so that this file does not name them either.
  const telltales = [
    new RegExp(`(^|[^\\w.~-])${["", "work", ""].join("/")}`, "m"),
    /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/,
    /\b[a-z]+\.debian\.org\b/,
  ];
  const telling = (text: string): string[] =>
    telltales.flatMap((telltale) => telltale.exec(text)?.[0].trim() ?? []);

  test("in the repository", () => {
    const files = readTextFiles(ROOT, () => true);
    expect(files.length).toBeGreaterThan(50);
    const found = files.flatMap(({ path, text }) => [
      ...telling(text).map((name) => `${path} names ${name}`),
      ...(text.includes(`${ROOT}/`) ? [`${path} names ${ROOT}`] : []),
    ]);
    expect(found).toEqual([]);
  });

  test("and each is found where it is", () => {
    const host = ["registry", "example", "org"].join(".");
    for (const text of [
      `see ${["", "work", "x"].join("/")}`,
      `https://${host}/x`,
      ["deb", "debian", "org"].join("."),
    ]) {
      expect(telling(text)).toHaveLength(1);
    }
    expect(telling("the framework/of work/in progress")).toEqual([]);
  });
});
