/** The example of one's own tool compiles against what is built, and runs. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";
import { findTypeErrors } from "../../../../test/support/compile.ts";
import { rollDice } from "../../examples/own-tool.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { toolContext } from "./support/workspace.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/own-tool.ts", import.meta.url));

test("it compiles, and a mistake in it would be found", async () => {
  expect(findTypeErrors(EXAMPLE)).toEqual([]);
  const text = await readFile(EXAMPLE, "utf8");
  expect(
    findTypeErrors(EXAMPLE, { [EXAMPLE]: text.replace("run: ({ count })", "run: ({ number })") }),
  ).not.toEqual([]);
});

test("it takes ten lines", async () => {
  const text = await readFile(EXAMPLE, "utf8");
  const code = text.slice(text.indexOf("import")).split("\n");
  expect(code.filter((line) => line !== "")).toHaveLength(9);
});

test("it runs, and its arguments are checked", async () => {
  expect(rollDice.schema).toMatchObject({
    name: "roll_dice",
    parameters: { type: "object", required: ["count"] },
  });
  expect(rollDice.parse({ count: 0 })).toHaveProperty("problem");
  expect(rollDice.parse({})).toHaveProperty("problem");
  expect(rollDice.parse("no object")).toHaveProperty("problem");
  expect(rollDice.parse({ count: 5 })).toEqual({ input: { count: 5 } });
  expect(await rollDice.run({ count: 5 }, toolContext())).toMatch(/^[1-6]( [1-6]){4}$/);
});

test("a tool that throws at once rejects", async () => {
  const run = (): string => {
    throw new Error("it broke");
  };
  const broken = defineTool({ name: "broken", description: "", parameters: z.object({}), run });
  await expect(broken.run({}, toolContext())).rejects.toThrow("it broke");
});
