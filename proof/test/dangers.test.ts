/** The searches of known dangers end, and the quick ones are run; the controls show that each of them can fail. */

import { describe, expect, test } from "vitest";
import { searchLines } from "../dangers/waiting-line.ts";
import { searchTornTails } from "../dangers/torn-tails.ts";
import { openStore, memoryBackend } from "@longhand/store";
import { DANGERS } from "../dangers/part.ts";
import { searchRefusedBlocks } from "../dangers/refused-blocks.ts";
import { ToldWrites } from "../dangers/told-writes.ts";
import { Violation } from "../part.ts";

describe("the known dangers", () => {
  test("who stands in line has his turn in the order of the line", async () => {
    expect(await searchLines()).toBeGreaterThan(0);
  });

  test("torn tails are kept, wherever the file was cut", { timeout: 300_000 }, async () => {
    expect(await searchTornTails()).toBeGreaterThan(100);
  });

  test.each(["taken for dead while it changes names", "two adopters", "two files with one id"])(
    "goes through as many moments as the gate asks for: %s",
    { timeout: 300_000 },
    async (name) => {
      const { search, atLeast } = DANGERS[name] ?? expect.fail(`there is no danger ${name}`);
      expect(await search()).toBeGreaterThanOrEqual(atLeast);
    },
  );

  test.each(Object.entries(DANGERS))(
    "the control fails: %s",
    { timeout: 300_000 },
    async (_, { control }) => {
      await expect(control()).rejects.toThrow(Violation);
    },
  );

  test(
    "a block that was refused is not there, and what comes after it is",
    { timeout: 300_000 },
    async () => {
      expect(await searchRefusedBlocks()).toBeGreaterThan(1000);
    },
  );

  test("who reads something without all that comes before it has not seen a beginning", async () => {
    const told = new ToldWrites();
    const store = await openStore(memoryBackend());
    for (const text of ["one", "two"]) await told.append(store, text);
    expect(told.judgeSeen([{ seq: 1, content: "one" }])).toBeUndefined();
    expect(told.judgeSeen([{ seq: 2, content: "two" }])).toContain("without all that come before it");
  });
});
