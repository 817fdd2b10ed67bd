/**
 * Holds the sources to the architecture: which layer may import which, who may touch the outside world, how long a file
 * may grow. Each rule is first shown a bad example, so that a rule that finds nothing is known to look.
 */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findImportCycles } from "./support/find-import-cycles.ts";
import { findKernelWork } from "./support/find-kernel-work.ts";
import { findForeignImports } from "./support/find-foreign-imports.ts";
import { findLayerViolations } from "./support/find-layer-violations.ts";
import {
  findBarrels,
  findNamelessFiles,
  findTooLong,
  LONG_SOURCE_LINES,
  MAX_SOURCE_LINES,
  MAX_TEST_LINES,
} from "./support/find-shape-violations.ts";
import { findWorldUses } from "./support/find-world-uses.ts";
import { doorsOf, readPackageJson } from "./support/package-json.ts";
import { PACKAGES, readTextFiles, ROOT, type TextFile } from "./support/project.ts";
import { BENCH_PACKAGES, PROOF_PACKAGES, RULES, STORE_RULES } from "./support/layer-rules.ts";

const isTypeScript = (path: string): boolean => path.endsWith(".ts");
const sourcesOf = (name: string): TextFile[] =>
  readTextFiles(join(ROOT, "packages", name, "src"), isTypeScript);

describe.each(PACKAGES)("the sources of packages/%s", (name) => {
  const files = sourcesOf(name);

  test("are there", () => {
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(doorsOf(readPackageJson(name))));
  });

  test("import only what their layer may", () => {
    expect(findLayerViolations(files, RULES[name])).toEqual([]);
  });

  test("touch the outside world only where they may", () => {
    expect(findWorldUses(files, RULES[name])).toEqual([]);
  });

  test("import each other in no circle", () => {
    expect(findImportCycles(files)).toEqual([]);
  });

  test(`have at most ${MAX_SOURCE_LINES} lines each`, () => {
    const long = findTooLong(files, LONG_SOURCE_LINES);
    if (long.length > 0) console.log(`worth a look: ${long.join("; ")}`);
    expect(findTooLong(files, MAX_SOURCE_LINES)).toEqual([]);
  });

  test("have names that say something, and barrels only at doors", () => {
    expect(findNamelessFiles(files)).toEqual([]);
    expect(findBarrels(files, doorsOf(readPackageJson(name)))).toEqual([]);
  });
});

describe("the agent's kernel", () => {
  test("is the only place with timers, queues and locks", () => {
    expect(findKernelWork(sourcesOf("agent"))).toEqual([]);
  });

  test.each([
    "setTimeout(() => undefined, 10);",
    'import { setTimeout } from "node:timers/promises";',
    "const signal = AbortSignal.timeout(1000);",
    "const next = this.#waiting.shift();",
    "this.#lock = this.#lock.then(work);",
  ])("and %s elsewhere is found", (text) => {
    expect(findKernelWork([{ path: "turn/bad.ts", text }])).toHaveLength(1);
    expect(findKernelWork([{ path: "kernel/good.ts", text }])).toEqual([]);
  });

  test("knows nothing of agents", () => {
    const kernel = sourcesOf("agent").filter(({ path }) => path.startsWith("kernel/"));
    expect(kernel.length).toBeGreaterThan(5);
    const words = /\b(?:session|model|tool|prompt|conversation)s?\b/i;
    const found = kernel.filter(({ text }) => words.test(text.replaceAll(/^ *(?:\/\*\*| \*|\/\/).*$/gm, "")));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe("the sources of proof", () => {
  const files = readTextFiles(join(ROOT, "proof"), isTypeScript).filter(
    ({ path }) => !path.startsWith("test/"),
  );

  test("know the store by its public doors alone, so that they can be run on a changed copy of it", () => {
    expect(files.map(({ path }) => path)).toContain("main.ts");
    expect(findForeignImports(files, PROOF_PACKAGES)).toEqual([]);
  });

  test("import each other in no circle", () => {
    expect(findImportCycles(files)).toEqual([]);
  });

  test(`have at most ${MAX_SOURCE_LINES} lines each, and names that say something`, () => {
    expect(findTooLong(files, MAX_SOURCE_LINES)).toEqual([]);
    expect(findNamelessFiles(files)).toEqual([]);
    expect(findBarrels(files, [])).toEqual([]);
  });
});

describe("the sources of bench", () => {
  const files = readTextFiles(join(ROOT, "bench"), isTypeScript).filter(
    ({ path }) => !path.startsWith("test/"),
  );

  test("know the store by its public door alone, and no peer that is not listed", () => {
    expect(files.map(({ path }) => path)).toContain("main.ts");
    expect(findForeignImports(files, BENCH_PACKAGES)).toEqual([]);
  });

  test("import each other in no circle", () => {
    expect(findImportCycles(files)).toEqual([]);
  });

  test(`have at most ${MAX_SOURCE_LINES} lines each, and names that say something`, () => {
    expect(findTooLong(files, MAX_SOURCE_LINES)).toEqual([]);
    expect(findNamelessFiles(files)).toEqual([]);
    expect(findBarrels(files, [])).toEqual([]);
  });
});

test(`test files have at most ${MAX_TEST_LINES} lines and names that say something`, () => {
  const directories = [
    "test",
    "proof/test",
    "bench/test",
    ...PACKAGES.map((name) => `packages/${name}/test`),
  ];
  const files = directories.flatMap((directory) => readTextFiles(join(ROOT, directory), isTypeScript));
  expect(files.length).toBeGreaterThan(0);
  expect(findTooLong(files, MAX_TEST_LINES)).toEqual([]);
  expect(findNamelessFiles(files)).toEqual([]);
});

describe("the rules find what they are for", () => {
  const violationsIn = (path: string, text: string): string[] =>
    findLayerViolations([{ path, text }], STORE_RULES);

  test.each([
    ["a static import", 'import { x } from "../host/host.ts";'],
    ["a type import", 'import type { X } from "../host/host.ts";'],
    ["a bare import", 'import "../host/host.ts";'],
    ["a re-export", 'export { x } from "../host/host.ts";'],
    ["a type re-export", 'export type { X } from "../host/host.ts";'],
    ["a dynamic import", 'const host = await import("../host/host.ts");'],
    ["a type taken from an import", 'let host: import("../host/host.ts").Host;'],
    ["a require", 'const host = require("../host/host.ts");'],
    ["an import-equals", 'import host = require("../host/host.ts");'],
    ["a module name made at run time", "const host = await import(name);"],
  ])("%s from a layer that may not", (_, text) => {
    expect(violationsIn("format/bad.ts", text)).toHaveLength(1);
  });

  test.each([
    ["store/bad.ts", "../backends/memory.ts", "store may not import backends"],
    ["store/bad.ts", "../host/host.ts", "store may not import host"],
    ["index/bad.ts", "../contract/types.ts", "index may not import contract"],
    ["wal/bad.ts", "../session/open-session.ts", "wal may not import session"],
    ["engine/files/bad.ts", "../writing/held-sessions.ts", "engine/files may not import engine/writing"],
    ["lease/bad.ts", "../engine/owners.ts", "lease may not import engine"],
    ["backends/jsonl/bad.ts", "../../open-store.ts", "may not import the door open-store.ts"],
    ["backends/bad.ts", "../testing/index.ts", "testing is for tests"],
    ["index.ts", "./testing/index.ts", "testing is for tests"],
    ["errors.ts", "./format/json.ts", "it may import nothing"],
    ["cellar/bad.ts", "../errors.ts", "the layer cellar is in no rule"],
    ["format/bad.ts", "../../../longhand/src/main.ts", "may not leave the package"],
    ["format/bad.ts", "commander", "may not import the package commander"],
    ["format/bad.ts", "node:fs", "may not use node:fs"],
    ["format/bad.ts", "fs/promises", "may not use node:fs/promises"],
    ["session/bad.ts", "node:worker_threads", "may not use node:worker_threads"],
    ["open-store.ts", "node:child_process", "may not use node:child_process"],
  ])("%s importing %s", (path, specifier, problem) => {
    expect(violationsIn(path, `import { x } from "${specifier}";`).join()).toContain(problem);
  });

  test("a part of a module that is not pure", () => {
    expect(violationsIn("format/bad.ts", 'import { randomBytes } from "node:crypto";')).toHaveLength(1);
    expect(violationsIn("format/bad.ts", 'import * as crypto from "node:crypto";')).toHaveLength(1);
    expect(violationsIn("format/good.ts", 'import { createHash } from "node:crypto";')).toEqual([]);
  });

  test("but not what is allowed", () => {
    const allowed = [
      ["format/good.ts", "./json.ts"],
      ["engine/writing/good.ts", "../files/layout.ts"],
      ["host/good.ts", "../errors.ts"],
      ["host/good.ts", "node:fs"],
      ["backends/jsonl/good.ts", "../../host/host.ts"],
      ["open-store.ts", "./backends/memory.ts"],
      ["index.ts", "./open-store.ts"],
      ["testing/good.ts", "../open-store.ts"],
      ["testing/specs/good.ts", "../../backends/memory.ts"],
    ] as const;
    for (const [path, specifier] of allowed) {
      expect(violationsIn(path, `import { x } from "${specifier}";`)).toEqual([]);
    }
  });

  test.each([
    "const now = Date.now();",
    "const now = new Date();",
    "const now = Date();",
    "const chance = Math.random();",
    "setTimeout(() => undefined, 1);",
    "const pid = process.pid;",
    "const { pid } = process;",
    "const pid = globalThis.process.pid;",
    'console.log("hello");',
    "const id = crypto.randomUUID();",
  ])("the outside world in: %s", (text) => {
    expect(findWorldUses([{ path: "session/bad.ts", text }], STORE_RULES)).toHaveLength(1);
    expect(findWorldUses([{ path: "host/good.ts", text }], STORE_RULES)).toEqual([]);
  });

  test("the one exception is for its file and its expression only", () => {
    const warns = 'process.emitWarning("x");';
    expect(findWorldUses([{ path: "store/warn.ts", text: warns }], STORE_RULES)).toEqual([]);
    expect(findWorldUses([{ path: "store/store.ts", text: warns }], STORE_RULES)).toHaveLength(1);
    expect(findWorldUses([{ path: "store/warn.ts", text: "process.exit(1);" }], STORE_RULES)).toHaveLength(1);
  });

  test("a given time and what is only named alike are fine", () => {
    const text =
      "const at = new Date(host.now()); const { a } = host.process; type P = NodeJS.Process; this.crypto();";
    expect(findWorldUses([{ path: "session/good.ts", text }], STORE_RULES)).toEqual([]);
  });

  test("a local variable hides the global one, but only where it is", () => {
    const text =
      "function f(process) { g(process.pid); for (const crypto of list) h(crypto); } process.exit();";
    expect(findWorldUses([{ path: "session/bad.ts", text }], STORE_RULES)).toEqual([
      "session/bad.ts:1: process.exit touches the outside world; ask the host",
    ]);
  });

  test("a circle, also of types and over three files", () => {
    const files = [
      { path: "a.ts", text: 'import type { B } from "./b/b.ts";' },
      { path: "b/b.ts", text: 'import { c } from "./c.ts";' },
      { path: "b/c.ts", text: 'export { a } from "../a.ts";' },
      { path: "d.ts", text: 'import { a } from "./a.ts";' },
    ];
    expect(findImportCycles(files)).toEqual(["a.ts → b/b.ts → b/c.ts → a.ts"]);
    expect(findImportCycles(files.slice(1))).toEqual([]);
  });

  test("a file that is too long, to the line", () => {
    const file = (lines: number): TextFile => ({ path: "a.ts", text: "x;\n".repeat(lines) });
    expect(findTooLong([file(MAX_SOURCE_LINES)], MAX_SOURCE_LINES)).toEqual([]);
    expect(findTooLong([file(MAX_SOURCE_LINES + 1)], MAX_SOURCE_LINES)).toHaveLength(1);
  });

  test("a name that says nothing, but not the one that is fixed", () => {
    const named = (path: string): string[] => findNamelessFiles([{ path, text: "" }]);
    for (const path of [
      "utils.ts",
      "session/file-helpers.ts",
      "misc/x.ts",
      "lease-manager.ts",
      "util/x.ts",
    ]) {
      expect(named(path)).toHaveLength(1);
    }
    for (const path of ["store/session-manager.ts", "session/land.ts", "manage.ts"])
      expect(named(path)).toEqual([]);
  });

  test("a way into the store that is no public door", () => {
    const found = (specifier: string): string[] =>
      findForeignImports(
        [{ path: "kills/part.ts", text: `import { x } from "${specifier}";` }],
        PROOF_PACKAGES,
      );
    for (const specifier of ["../../packages/store/src/index.ts", "@longhand/store/dist/x.js", "commander"]) {
      expect(found(specifier)).toHaveLength(1);
    }
    for (const specifier of ["../part.ts", "./x.ts", "@longhand/store/testing", "node:fs"]) {
      expect(found(specifier)).toEqual([]);
    }
  });

  test("a barrel that is no door, and export *", () => {
    const barrel = { path: "session/index.ts", text: 'export { x } from "./x.ts";' };
    expect(findBarrels([barrel], ["index.ts"])).toHaveLength(1);
    expect(findBarrels([barrel], ["session/index.ts"])).toEqual([]);
    expect(findBarrels([{ path: "a.ts", text: 'export * from "./x.ts";' }], [])).toHaveLength(1);
    expect(findBarrels([{ path: "a.ts", text: 'export * as x from "./x.ts";' }], [])).toHaveLength(1);
  });
});
