/** Where the repository is, and its files as the tests see them: no dependencies, no build output. */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** The packages, by the name of their directory. */
export const PACKAGES = ["store", "agent", "longhand"] as const;

export interface TextFile {
  /** Relative to the directory it was asked for, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const PASSED_OVER = new Set(["node_modules", "build", "dist", ".git", "coverage"]);

export function readTextFiles(directory: string, accepts: (path: string) => boolean): TextFile[] {
  return listFiles(directory)
    .map((file) => relative(directory, file).split(sep).join("/"))
    .filter(accepts)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(directory, path), "utf8") }));
}

export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function listFiles(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (PASSED_OVER.has(entry.name)) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}
