/** The enumeration itself: complete where it says so, and where it samples, within the limit and never beside the point. */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imageOfState } from "../../src/testing/crash-state.ts";
import { crashStates } from "../../src/testing/crash-states.ts";
import { applyFate, fatesOf } from "../../src/testing/file-outcomes.ts";
import { fileIn } from "../../src/testing/inode-table.ts";
import { nameTree } from "../../src/testing/name-outcomes.ts";
import { SimulatedDisk, type DiskImage } from "../../src/testing/simulated-disk.ts";
import { unsyncedChanges, type Inode } from "../../src/testing/simulated-inode.ts";

const NO_LIMIT = 1_000_000;

type Step =
  { do: "create" | "unlink" | "sync"; name: string } | { do: "write"; name: string; length: number };

const name = fc.constantFrom("a", "b");
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("create" as const, "unlink" as const, "sync" as const), name }),
    fc.record({ do: fc.constant("write" as const), name, length: fc.constantFrom(1, 3, 600) }),
    fc.record({ do: fc.constant("syncNames" as const) }),
    fc.record({ do: fc.constant("rename" as const), name, to: name }),
  ),
  { maxLength: 7 },
);

/** Steps that make no sense where they come are left out. */
function diskAfter(
  steps: readonly (Step | { do: "syncNames" } | { do: "rename"; name: string; to: string })[],
): DiskImage {
  const disk = new SimulatedDisk();
  for (const step of steps) {
    if (step.do === "syncNames") {
      disk.syncDirectory("/");
      continue;
    }
    const number = disk.find(`/${step.name}`, "test");
    if (step.do === "create") {
      if (number === undefined) disk.createFile(`/${step.name}`, 0);
    } else if (number !== undefined) {
      if (step.do === "unlink") disk.unlink(`/${step.name}`);
      if (step.do === "rename") disk.rename(`/${step.name}`, `/${step.to}`);
      if (step.do === "sync") disk.sync(number);
      if (step.do === "write") {
        disk.write(number, Buffer.alloc(step.length, "x"), disk.bytesOf(number).size, 0);
      }
    }
  }
  return disk.image();
}

/** Names and contents as one text. */
function textOf(inodes: ReadonlyMap<number, Inode>): string {
  const root = inodes.get(1);
  if (root?.kind !== "directory") throw new Error("no root");
  const numbers = [...new Set([...root.seen].sort().map(([, number]) => number))];
  return [...root.seen]
    .sort()
    .map(([name, number]) => `${name} ${numbers.indexOf(number)} ${fileIn(inodes, number).seen.digest}`)
    .join("; ");
}

const textsOf = (image: DiskImage, limit: number, seed = 1): string[] =>
  crashStates(image, limit, seed).states.map((state) => textOf(imageOfState(image, state).inodes));

/** Without any cleverness: every subset of the names, with every fate of every change of every file. */
function everyState(image: DiskImage): Set<string> {
  const names = image.nameChanges.filter(({ awaits }) => awaits.length > 0);
  const texts = new Set<string>();
  for (let subset = 0; subset < 2 ** names.length; subset += 1) {
    const lost = new Set(names.filter((_, index) => (subset >> index) % 2 === 1));
    const { inodes, files } = nameTree(image, lost);
    let contents: Map<number, Inode>[] = [new Map(inodes)];
    for (const number of files) {
      for (const change of unsyncedChanges(fileIn(image.inodes, number))) {
        contents = contents.flatMap((before) =>
          fatesOf(change).map((fate) => {
            const file = fileIn(before, number);
            return new Map([...before, [number, { ...file, seen: applyFate(file.seen, change, fate) }]]);
          }),
        );
      }
    }
    for (const content of contents) texts.add(textOf(content));
  }
  return texts;
}

/** More states than anybody wants: five files with two changes each, and their names. */
function bigDisk(): DiskImage {
  const disk = new SimulatedDisk();
  for (const name of ["a", "b", "c", "d", "e"]) {
    const number = disk.createFile(`/${name}`, 0);
    disk.write(number, Buffer.from(`first ${name}`), 0, 0);
    disk.write(number, Buffer.alloc(600, name), 20, 0);
  }
  return disk.image();
}

describe("where all states are within the limit", () => {
  test("exactly those are given that a plain enumeration finds, each once", () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const image = diskAfter(steps);
        const expected = everyState(image);
        const texts = textsOf(image, NO_LIMIT);
        expect(new Set(texts)).toEqual(expected);
        expect(texts).toHaveLength(expected.size);
      }),
      { numRuns: 200 },
    );
  });

  test("it says so, to the last one", () => {
    const image = diskAfter([
      { do: "create", name: "a" },
      { do: "syncNames" },
      { do: "write", name: "a", length: 3 },
    ]);
    const all = everyState(image).size;
    expect(all).toBeGreaterThan(2);
    expect(crashStates(image, all, 1)).toMatchObject({ exhaustive: true, states: { length: all } });
    expect(crashStates(image, all - 1, 1)).toMatchObject({ exhaustive: false, states: { length: all - 1 } });
  });
});

describe("where there are more than the limit", () => {
  test("a sample never has more than the limit, none twice, and none that cannot be", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 30 }), fc.nat(), (steps, limit, seed) => {
        const image = diskAfter(steps);
        const possible = everyState(image);
        const sample = textsOf(image, limit, seed);
        expect(sample.length).toBeLessThanOrEqual(limit);
        expect(new Set(sample).size).toBe(sample.length);
        expect(sample.filter((text) => !possible.has(text))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("it is filled up to the limit", () => {
    expect(textsOf(bigDisk(), 3000)).toHaveLength(3000);
    expect(crashStates(bigDisk(), 3000, 1).exhaustive).toBe(false);
  });

  test("the same seed gives the same sample, another one another", () => {
    expect(textsOf(bigDisk(), 2000, 7)).toEqual(textsOf(bigDisk(), 2000, 7));
    expect(textsOf(bigDisk(), 2000, 7)).not.toEqual(textsOf(bigDisk(), 2000, 8));
  });

  test("every single difference from all kept and from all lost is in it, whatever the seed", () => {
    const image = bigDisk();
    const names = image.nameChanges;
    const everyFate = [...image.inodes.keys()]
      .slice(1)
      .flatMap((number) =>
        unsyncedChanges(fileIn(image.inodes, number)).flatMap((change, index) =>
          fatesOf(change).map((fate) => ({ number, index, fate })),
        ),
      );
    const stateWith = (
      lost: typeof names,
      base: "kept" | "lost",
      other?: (typeof everyFate)[number],
    ): string => {
      const tree = nameTree(image, new Set(lost));
      const inodes = new Map(tree.inodes);
      for (const number of tree.files) {
        let seen = fileIn(inodes, number).seen;
        for (const [index, change] of unsyncedChanges(fileIn(image.inodes, number)).entries()) {
          const fate = other?.number === number && other.index === index ? other.fate : { kind: base };
          seen = applyFate(seen, change, fate);
        }
        inodes.set(number, { ...fileIn(inodes, number), seen });
      }
      return textOf(inodes);
    };
    const expected = [
      stateWith([], "kept"),
      stateWith(names, "lost"),
      ...names.map((name) => stateWith([name], "kept")),
      ...names.map((name) =>
        stateWith(
          names.filter((other) => other !== name),
          "lost",
        ),
      ),
      ...everyFate.map((other) => stateWith([], "kept", other)),
      ...everyFate.map((other) => stateWith(names, "lost", other)),
      ...everyFate.map((other) => stateWith([], "lost", other)),
    ];
    for (const seed of [1, 2]) {
      const sample = new Set(textsOf(image, 500, seed));
      expect(expected.filter((text) => !sample.has(text))).toEqual([]);
    }
  });

  test("with room for a few only, the extremes are in it and the seed picks the rest", () => {
    const [first, second] = [textsOf(bigDisk(), 10, 1), textsOf(bigDisk(), 10, 2)];
    expect(first).toHaveLength(10);
    expect(first.slice(0, 3)).toEqual(second.slice(0, 3));
    expect(first).not.toEqual(second);
    expect(first[1]).toBe("");
  });
});
