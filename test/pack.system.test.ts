/** What a user gets: the packages as npm would publish them, installed in an empty project. Needs the build. */

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readPackageJson } from "./support/package-json.ts";
import { PACKAGES, ROOT } from "./support/project.ts";
import { readImports } from "./support/read-imports.ts";
import { mustRun, runCommand } from "./support/run-command.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function pack(name: string, destination: string): Promise<Packed> {
  const args = ["pack", "--json", "--pack-destination", destination];
  const { stdout } = await mustRun("npm", args, join(ROOT, "packages", name));
  const [packed] = JSON.parse(stdout) as Packed[];
  if (packed === undefined) throw new Error(`npm pack of ${name} said nothing`);
  return packed;
}

test("@longhand/store depends on nothing at run time", () => {
  const { dependencies, peerDependencies, optionalDependencies } = readPackageJson("store");
  expect({ ...dependencies, ...peerDependencies, ...optionalDependencies }).toEqual({});
});

test.each(PACKAGES)(
  "the tarball of packages/%s holds the build, its command, README and LICENSE only",
  async (name) => {
    const { files } = await pack(name, await temporaryDirectory());
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(paths.filter((path) => /\.(?:tsbuildinfo|map)$/.test(path))).toEqual([]);
    const others = paths.filter((path) => !["LICENSE", "README.md", "package.json"].includes(path));
    expect(others.length).toBeGreaterThan(0);
    // bin/ is not built: npm links a command only if its file is there when the clone is installed.
    expect(others.filter((path) => !/^(dist|bin|skills)\/|^longhand\.schema\.json$/.test(path))).toEqual([]);
    const sources = paths.filter((path) => path.endsWith(".js") && path.startsWith("dist/"));
    const isStale = (path: string): boolean =>
      !existsSync(join(ROOT, "packages", name, path.replace(/^dist/, "src").replace(/js$/, "ts")));
    expect(sources.filter(isStale), "left over from an earlier build: npm run clean").toEqual([]);
  },
);

test("the main entry of the store loads nothing of its testing entry", async () => {
  const isTesting = (path: string): boolean => path.includes("/testing/");
  const dist = join(ROOT, "packages/store/dist");
  const loaded = await filesLoadedBy(join(dist, "index.js"));
  expect(loaded.length).toBeGreaterThan(20);
  expect(loaded.filter(isTesting)).toEqual([]);
  expect((await filesLoadedBy(join(dist, "testing/index.js"))).filter(isTesting)).not.toEqual([]);
});

test.each(PACKAGES)("packages/%s carries the repository's licence", async (name) => {
  const licence = await readFile(join(ROOT, "packages", name, "LICENSE"), "utf8");
  expect(licence).toBe(await readFile(join(ROOT, "LICENSE"), "utf8"));
});

test("the packages install in an empty project, every export imports, the command runs", async () => {
  const directory = await temporaryDirectory();
  const project = join(directory, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "empty", private: true }));
  const tarballs = [];
  for (const name of PACKAGES) tarballs.push(join(directory, (await pack(name, directory)).filename));
  await mustRun("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs], project);

  const specifiers = exportsOf("store");
  expect(specifiers).toContain("@longhand/store");
  expect(specifiers).toContain("@longhand/store/testing");
  await writeFile(join(project, "use.mjs"), programThatImports(specifiers));
  const { stdout } = await mustRun(process.execPath, ["use.mjs"], project);
  const imported = JSON.parse(stdout) as Record<string, string[]>;
  expect(imported["@longhand/store"]).toEqual(expect.arrayContaining(["openStore", "LonghandError"]));
  for (const specifier of specifiers) expect(imported[specifier]).not.toEqual([]);

  const version = await runCommand("npx", ["--no-install", "longhand", "--version"], project);
  expect(version).toMatchObject({ exitCode: 0, stdout: `${readPackageJson("longhand").version ?? ""}\n` });

  const inside = await runCommand(
    process.execPath,
    ["--input-type=module", "-e", 'await import("@longhand/store/dist/store/session.js")'],
    project,
  );
  expect(inside.stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
});

/** Every file that importing this one loads, itself included, by the relative imports of the built code. */
async function filesLoadedBy(entry: string, loaded = new Set<string>()): Promise<readonly string[]> {
  if (loaded.has(entry)) return [...loaded];
  loaded.add(entry);
  const imports = readImports({ path: entry, text: await readFile(entry, "utf8") });
  for (const { specifier } of imports) {
    if (specifier.startsWith(".")) await filesLoadedBy(join(dirname(entry), specifier), loaded);
  }
  return [...loaded];
}

function exportsOf(name: string): string[] {
  const packageJson = readPackageJson(name);
  return Object.keys(packageJson.exports ?? {}).map((subpath) => packageJson.name + subpath.slice(1));
}

function programThatImports(specifiers: readonly string[]): string {
  return `
    const imported = {};
    for (const specifier of ${JSON.stringify(specifiers)}) {
      imported[specifier] = Object.keys(await import(specifier));
    }
    console.log(JSON.stringify(imported));`;
}
