/** That each mutant is a mistake in the store as it is now, and one that the compiler lets pass. */

import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { applyEdits } from "../mutants/apply-edits.ts";
import { judgeMutant, tellVerdict } from "../mutants/judge-mutant.ts";
import type { Mutant, PartSlice } from "../mutants/mutant.ts";
import { MUTANTS } from "../mutants/mutants.ts";
import { MUTANTS_IN_A_SLICE, otherSlices } from "../mutants/part.ts";
import { projectRoot } from "../mutants/project-root.ts";
import { transpile } from "../mutants/transpile.ts";
import { PARTS } from "../parts.ts";
import { timeLimitOf } from "../run-slice.ts";
import type { Outcome } from "../worker-message.ts";

const root = projectRoot();
const store = `${root}/packages/store`;

describe("the mutants", () => {
  test("have names of their own", () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  test("are caught by parts that exist, in slices of the gate", () => {
    for (const { name, caughtBy } of MUTANTS) {
      const part = PARTS.find((each) => each.name === caughtBy.part);
      expect(part?.gateSlices ?? 0, name).toBeGreaterThan(caughtBy.slice);
    }
  });

  test("are caught by what is searched for certain, not drawn by chance", () => {
    const byChance = PARTS.filter((part) => part.isDrawn === true || part.isLeftToChance === true);
    expect(byChance.length).toBeGreaterThan(0);
    for (const { name, caughtBy } of MUTANTS)
      expect(
        byChance.map((part) => part.name),
        name,
      ).not.toContain(caughtBy.part);
  });

  test("fit the sources, and their types are right: nothing but a run can tell", { timeout: 300_000 }, () => {
    const compile = compilerOfTheStore();
    for (const round of roundsOf(MUTANTS)) expect(compile(round)).toEqual([]);
  });
});

describe("the verdict on a mutant", () => {
  const named = { part: "dangers", slice: 3 };
  const other = { part: "fuzz", slice: 0 };
  const mutant: Mutant = {
    name: "sample",
    breaks: "a promise",
    file: "sample.ts",
    edits: [],
    caughtBy: named,
  };
  const kept = { kind: "kept" } as const;
  const violated = { kind: "violated", story: "a promise was broken" } as const;
  const failed = { kind: "failed", story: "the worker died" } as const;

  async function storyOf(outcomes: Readonly<Record<string, Outcome>>): Promise<string | undefined> {
    const run = async ({ part }: PartSlice): Promise<Outcome> =>
      await Promise.resolve(outcomes[part] ?? kept);
    return tellVerdict(await judgeMutant(mutant, [other], run), mutant, [other], 7);
  }

  test("is good if what it names notices it", async () => {
    expect(await storyOf({ dangers: violated, fuzz: kept })).toBeUndefined();
  });

  test("is a story if only another part notices it", async () => {
    const story = await storyOf({ dangers: kept, fuzz: violated });
    expect(story).toContain("sample.ts is not caught by what it names, dangers slice 3, but by fuzz slice 0");
  });

  test("is a story if what it names cannot be run, though another part notices it", async () => {
    const story = await storyOf({ dangers: failed, fuzz: violated });
    expect(story).toContain("is not caught by what it names");
    expect(story).toContain("could not be run:\ndangers slice 3: the worker died");
  });

  test("is a story if nothing notices it, with what was tried and what could not be run", async () => {
    const story = await storyOf({ dangers: kept, fuzz: failed });
    expect(story).toContain("survives (seed 7)");
    expect(story).toContain("Noticed by none of: dangers slice 3, fuzz slice 0");
    expect(story).toContain("could not be run:\nfuzz slice 0: the worker died");
    expect(await storyOf({})).not.toContain("could not be run");
  });

  test("is none if nothing could be run", async () => {
    await expect(storyOf({ dangers: failed, fuzz: failed })).rejects.toThrow("the worker died");
  });

  test("comes before its own slice has run out of time, even if each slice that is tried hangs", () => {
    const most = Math.max(
      ...MUTANTS.map((each) =>
        [each.caughtBy, ...otherSlices(each)].reduce((sum, { part }) => sum + timeLimitOf(part), 0),
      ),
    );
    expect(MUTANTS_IN_A_SLICE * most).toBeLessThan(timeLimitOf("mutants"));
  });
});

describe("applying a mutant", () => {
  const mutant = {
    name: "sample",
    breaks: "nothing",
    file: "sample.ts",
    edits: [{ find: "one", replace: "$& two" }],
    caughtBy: { part: "none", slice: 0 },
  };

  test("puts the text in as it is", () => {
    expect(applyEdits("zero one three", mutant)).toBe("zero $& two three");
  });

  test.each(["zero three", "one one"])("is refused where the text is not there once: %s", (source) => {
    expect(() => applyEdits(source, mutant)).toThrow("The mutant sample is stale");
  });

  test("gives JavaScript that imports what was built", async () => {
    const text = 'import { one } from "./one.ts";\nexport const two: number = one + 1;\n';
    expect(await transpile(root, "sample.ts", text)).toBe(
      'import { one } from "./one.js";\nexport const two = one + 1;\n',
    );
  });

  test("is refused where the text is no TypeScript", async () => {
    await expect(transpile(root, "sample.ts", "const = 1;")).rejects.toThrow("does not compile");
  });
});

/** Each round has at most one mutant of a file, so that all of it can be compiled at once. */
function roundsOf(mutants: readonly Mutant[]): Mutant[][] {
  const rounds: Mutant[][] = [];
  for (const mutant of mutants) {
    const free = rounds.find((round) => round.every(({ file }) => file !== mutant.file));
    if (free === undefined) rounds.push([mutant]);
    else free.push(mutant);
  }
  return rounds;
}

/** Compiles the store with mutants in it; answers with what is wrong in the changed files. */
function compilerOfTheStore(): (mutants: readonly Mutant[]) => string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${store}/tsconfig.json`,
    // What a mistake leaves unused is no reason to refuse it.
    { noEmit: true, composite: false, incremental: false, noUnusedLocals: false, noUnusedParameters: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  if (config === undefined) throw new Error("the store has no tsconfig.json");
  const parsed = new Map<string, ts.SourceFile | undefined>();
  const host = ts.createCompilerHost(config.options);
  return (mutants) => {
    const changed = new Map(mutants.map((mutant) => [`${store}/src/${mutant.file}`, mutant]));
    const getSourceFile: ts.CompilerHost["getSourceFile"] = (path, version) => {
      const mutant = changed.get(path);
      if (mutant !== undefined)
        return ts.createSourceFile(path, applyEdits(readFileSync(path, "utf8"), mutant), version);
      if (!parsed.has(path)) parsed.set(path, host.getSourceFile(path, version));
      return parsed.get(path);
    };
    const program = ts.createProgram(config.fileNames, config.options, { ...host, getSourceFile });
    return [...changed].flatMap(([path, { name }]) => {
      const file = program.getSourceFile(path);
      const wrong = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      return wrong.map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
    });
  };
}
