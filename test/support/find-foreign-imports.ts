/** Imports that leave a directory by another way than a package it may use. */

import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { TextFile } from "./project.ts";
import { readImports } from "./read-imports.ts";

export function findForeignImports(files: readonly TextFile[], packages: readonly string[]): string[] {
  return files.flatMap((file) =>
    readImports(file)
      .filter(({ specifier }) => isForeign(file.path, specifier, packages))
      .map(({ specifier, line }) => `${file.path}:${line}: may not import ${specifier}`),
  );
}

function isForeign(path: string, specifier: string, packages: readonly string[]): boolean {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier).startsWith("..");
  return !isBuiltin(specifier) && !packages.includes(specifier);
}
