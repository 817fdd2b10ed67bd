/** Circles of imports between files. A circle of types counts too: neither file can be understood without the other. */

import { posix } from "node:path";
import type { TextFile } from "./project.ts";
import { readImports } from "./read-imports.ts";

export function findImportCycles(files: readonly TextFile[]): string[] {
  const targets = new Map(files.map((file) => [file.path, relativeTargets(file)]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path].join(" → "));
      return;
    }
    if (finished.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return cycles;
}

function relativeTargets(file: TextFile): string[] {
  return readImports(file)
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier));
}
