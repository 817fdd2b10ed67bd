/** The lock files must install everywhere: from any registry, on any platform that the packages know. */

import { describe, expect, test } from "vitest";
import { readProjectFile } from "./support/project.ts";

interface LockEntry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Lock = Readonly<Record<string, LockEntry>>;

const readLock = (path: string): Lock => (JSON.parse(readProjectFile(path)) as { packages: Lock }).packages;

test.each(["package-lock.json", "bench/package-lock.json"])(
  "no entry of %s is bound to the place it was once fetched from",
  (path) => {
    const lock = readLock(path);
    expect(Object.entries(lock).filter(([, { resolved = "" }]) => /^https?:/.test(resolved))).toEqual([]);
  },
);

/** `npm ci` refuses a lock file that lacks a dependency, also one that is only for another platform. */
function findMissing(packages: Lock): string[] {
  const names = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")));
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !names.has(name))
      .map((name) => `${path} needs ${name}`),
  );
}

describe("every dependency has its entry", () => {
  test.each(["package-lock.json", "bench/package-lock.json"])("in %s", (path) => {
    const lock = readLock(path);
    expect(Object.keys(lock).length).toBeGreaterThan(100);
    expect(findMissing(lock)).toEqual([]);
  });

  test("and one that has not is found", () => {
    const packages = {
      "node_modules/a": { optionalDependencies: { "a-linux": "1.0.0", "a-macos": "1.0.0" } },
    };
    expect(findMissing({ ...packages, "node_modules/a-linux": {} })).toEqual([
      "node_modules/a needs a-macos",
    ]);
  });
});
