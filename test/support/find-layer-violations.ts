/** Holds the imports of one package's sources to its rules. */

import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { TextFile } from "./project.ts";
import { readImports, type Import } from "./read-imports.ts";
import type { PackageRules } from "./layer-rules.ts";

export function findLayerViolations(files: readonly TextFile[], rules: PackageRules): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file.path, rules);
    if (layer !== undefined && rules.layers[layer] === undefined) {
      return [`${file.path}: the layer ${layer} is in no rule; add it to test/support/layer-rules.ts`];
    }
    return readImports(file).flatMap((imported) => {
      const problem = problemWith(file.path, imported, rules);
      return problem === undefined ? [] : [`${file.path}:${imported.line}: ${problem}`];
    });
  });
}

/** The directory in src that a file lies in, the deepest that has a rule; `undefined` for the files directly in src. */
export function layerOf(path: string, { layers }: PackageRules): string | undefined {
  const [first, second, ...rest] = path.split("/");
  if (first === undefined || second === undefined) return undefined;
  const deeper = `${first}/${second}`;
  return rest.length > 0 && layers[deeper] !== undefined ? deeper : first;
}

function problemWith(path: string, imported: Import, rules: PackageRules): string | undefined {
  const { specifier } = imported;
  if (specifier.startsWith(".")) return problemWithFile(path, specifier, rules);
  if (isBuiltin(specifier)) return problemWithNodeModule(path, imported, rules);
  return rules.packages.includes(specifier) ? undefined : `may not import the package ${specifier}`;
}

function problemWithFile(path: string, specifier: string, rules: PackageRules): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith("..")) return `may not leave the package (${specifier})`;
  const from = layerOf(path, rules);
  const to = layerOf(target, rules);
  if (to !== undefined && to === from) return undefined;
  if (rules.everywhere.includes(target)) return undefined;
  if (rules.everywhere.includes(path))
    return `everything imports ${path}, so it may import nothing (${target})`;
  if (from !== undefined && from === rules.testing) return undefined;
  if (to === undefined) return from === undefined ? undefined : `${from} may not import the door ${target}`;
  if (to === rules.testing) return `${to} is for tests (${target})`;
  if (from === undefined || rules.layers[from]?.includes(to) === true) return undefined;
  return `${from} may not import ${to} (${target})`;
}

function problemWithNodeModule(path: string, imported: Import, rules: PackageRules): string | undefined {
  const module = imported.specifier.startsWith("node:") ? imported.specifier : `node:${imported.specifier}`;
  const layer = layerOf(path, rules) ?? "*";
  const allowed = Object.hasOwn(rules.nodeModules, layer) ? rules.nodeModules[layer] : rules.nodeModules["*"];
  if (allowed === undefined) return undefined;
  const names = Object.hasOwn(allowed, module) ? allowed[module] : undefined;
  if (names === undefined) return `may not use ${module}; ask the host`;
  if (names === "all") return undefined;
  if (imported.names === "all") return `may use only ${names.join(", ")} of ${module}; import them by name`;
  const other = imported.names.filter((name) => !names.includes(name));
  return other.length === 0 ? undefined : `may not use ${other.join(", ")} of ${module}`;
}
