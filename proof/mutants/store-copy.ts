/**
 * A compiled store and a compiled proof in a directory of their own, so that a mistake can be put into the store and the proof
 * run against it. The proof finds the store by its package name. The store is the output of the compiler and not the bundle, so
 * that a mutant replaces one file.
 */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { applyEdits } from "./apply-edits.ts";
import type { Mutant } from "./mutant.ts";
import { transpile } from "./transpile.ts";

/** The directory is removed when `use` is done. */
export async function withStoreCopy<T>(
  root: string,
  mutant: Mutant,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const source = await readFile(`${root}/packages/store/src/${mutant.file}`, "utf8");
  const changed = await transpile(root, mutant.file, applyEdits(source, mutant));
  const directory = await mkdtemp(`${tmpdir()}/longhand-mutant-`);
  try {
    const store = `${directory}/node_modules/@longhand/store`;
    await mkdir(store, { recursive: true });
    await writeFile(`${store}/package.json`, await packageJsonOfCopy(`${root}/packages/store/package.json`));
    await copyBuilt(`${root}/packages/store/build`, `${store}/build`);
    await copyBuilt(`${root}/proof/dist`, `${directory}/proof`);
    await writeFile(`${directory}/package.json`, '{ "type": "module" }\n');
    await writeFile(`${store}/build/${mutant.file.replace(/\.ts$/, ".js")}`, changed);
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The package with the same doors, each at the compiled module that its declarations in dist/types were made of. */
async function packageJsonOfCopy(path: string): Promise<string> {
  const { name, type, exports } = JSON.parse(await readFile(path, "utf8")) as PackageJson;
  const compiled = ({ types }: Door): string =>
    types.replace("./dist/types/", "./build/").replace(/\.d\.ts$/, ".js");
  const doors = Object.entries(exports).map(([subpath, door]) => [subpath, compiled(door)]);
  return JSON.stringify({ name, type, exports: Object.fromEntries(doors) as Record<string, string> });
}

interface Door {
  readonly types: string;
}

interface PackageJson {
  readonly name: string;
  readonly type: string;
  readonly exports: Readonly<Record<string, Door>>;
}

/** What runs, without what only explains it. */
async function copyBuilt(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => !/\.(?:map|d\.ts|tsbuildinfo)$/.test(path) });
}
