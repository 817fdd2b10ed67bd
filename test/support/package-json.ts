/** The parts of a package.json that the tests look at. */

import { readProjectFile } from "./project.ts";

export interface PackageJson {
  readonly name: string;
  readonly version?: string;
  readonly exports?: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Of a package by its directory, or of the workspace. */
export function readPackageJson(directory?: string): PackageJson {
  const path = directory === undefined ? "package.json" : `packages/${directory}/package.json`;
  return JSON.parse(readProjectFile(path)) as PackageJson;
}

export function readBenchPackageJson(): PackageJson {
  return JSON.parse(readProjectFile("bench/package.json")) as PackageJson;
}

/** The sources behind a package's exports, relative to its src. */
export function doorsOf({ exports = {} }: PackageJson): string[] {
  return Object.values(exports).map((entry) =>
    entry.types.replace(/^\.\/dist\/types\//, "").replace(/\.d\.ts$/, ".ts"),
  );
}
