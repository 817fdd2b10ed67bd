/** What a user gets: the packages as npm would publish them, installed in an empty project. Needs the build. */

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
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
    const sourceOf = (path: string): string =>
      join(ROOT, "packages", name, path.replace(/^dist\/types/, "src").replace(/\.d\.ts$/, ".ts"));
    const declarations = paths.filter((path) => path.endsWith(".d.ts"));
    expect(declarations.length).toBeGreaterThan(0);
    expect(
      declarations.filter((path) => !existsSync(sourceOf(path))),
      "left over from an earlier build: npm run clean",
    ).toEqual([]);
  },
);

describe("the bundle of the store", () => {
  const dist = join(ROOT, "packages/store/dist");
  const textOf = async (paths: readonly string[]): Promise<string> =>
    (await Promise.all(paths.map(async (path) => await readFile(path, "utf8")))).join("\n");

  /** The bundler writes a class as a variable. */
  const declarationOf = (name: string): RegExp => new RegExp(`\\bclass ${name}\\b|\\b${name} = class\\b`);

  test("loads a few files for the main entry, and none for testing", async () => {
    const atOnce = await filesLoadedBy(join(dist, "index.js"), "at once");
    expect(atOnce.length).toBeLessThan(10);
    const loaded = await filesLoadedBy(join(dist, "index.js"), "ever");
    expect(await textOf(loaded)).not.toMatch(declarationOf("SimulatedMachine"));
    const testing = await filesLoadedBy(join(dist, "testing.js"), "at once");
    expect(await textOf(testing)).toMatch(declarationOf("SimulatedMachine"));
  });

  test("loads migration and upkeep only when they are used", async () => {
    const rare = ["function migrateDirectory(", "function repairStore(", "function reclaimStore("];
    const atOnce = await textOf(await filesLoadedBy(join(dist, "index.js"), "at once"));
    const ever = await textOf(await filesLoadedBy(join(dist, "index.js"), "ever"));
    for (const text of rare) {
      expect(ever).toContain(text);
      expect(atOnce).not.toContain(text);
    }
  });

  test("holds LonghandError once, so that an error of any door is an instance of it", async () => {
    const paths = (await readdir(dist)).filter((path) => path.endsWith(".js"));
    const texts = await Promise.all(paths.map(async (path) => await readFile(join(dist, path), "utf8")));
    expect(texts.filter((text) => declarationOf("LonghandError").test(text))).toHaveLength(1);
  });
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

/** The files that importing this one loads, itself included, by the relative imports of the bundled code. */
async function filesLoadedBy(
  entry: string,
  when: "at once" | "ever",
  loaded = new Set<string>(),
): Promise<readonly string[]> {
  if (loaded.has(entry)) return [...loaded];
  loaded.add(entry);
  const imports = readImports({ path: entry, text: await readFile(entry, "utf8") });
  for (const { specifier, isDynamic } of imports) {
    if (specifier.startsWith(".") && (when === "ever" || !isDynamic))
      await filesLoadedBy(join(dirname(entry), specifier), when, loaded);
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
