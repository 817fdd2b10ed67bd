/**
 * A built store and a built proof in a directory of their own, so that a mistake can be put into the store and the proof
 * run against it. The proof finds the store by its name, as everybody does.
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
    await cp(`${root}/packages/store/package.json`, `${store}/package.json`);
    await copyBuilt(`${root}/packages/store/dist`, `${store}/dist`);
    await copyBuilt(`${root}/proof/dist`, `${directory}/proof`);
    await writeFile(`${directory}/package.json`, '{ "type": "module" }\n');
    await writeFile(`${store}/dist/${mutant.file.replace(/\.ts$/, ".js")}`, changed);
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What runs, without what only explains it. */
async function copyBuilt(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => !/\.(?:map|d\.ts|tsbuildinfo)$/.test(path) });
}
