/** Half a secret is not recognised: where output is too long, secrets are hidden before it is cut, wherever the cut falls. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeRedactor } from "../../src/secrets/make-redactor.ts";
import { builtInTools } from "../../src/tools/built-in-tools.ts";
import { CollectedOutput } from "../../src/tools/collect-output.ts";
import { LONGEST_SECRET } from "../../src/tools/redact-and-cut.ts";
import { NO_SANDBOX } from "./support/commands.ts";
import { makePlace, toolContext } from "./support/workspace.ts";

const SECRET = "sk-0123456789abcdefghijklmnopqrstuvwxyz";
const redact = makeRedactor([SECRET]);
const asItIs = (text: string): string => text;

/** Six of its characters are a piece; everything around it in these tests is other letters. */
function showsAPiece(text: string): boolean {
  for (let at = 0; at + 6 <= SECRET.length; at++) if (text.includes(SECRET.slice(at, at + 6))) return true;
  return false;
}

/** A secret that lies across `place` by so many characters. */
function across(place: number, before: number, total: number): string {
  const start = "X".repeat(place - before);
  return `${start}${SECRET}${"Y".repeat(Math.max(0, total - start.length - SECRET.length))}`;
}

function collected(text: string, hide: (text: string) => string): string {
  const output = new CollectedOutput(1000, hide);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 97) output.add(bytes.subarray(at, at + 97));
  return output.text();
}

describe("the output of a program", () => {
  const cases = [
    ["at the end of the beginning", 500, 100_000],
    ["at the beginning of the end", 99_500, 100_000],
    ["at either cut of an output that is only a little too long", 500, 1200],
    ["where the end begins in one that is only a little too long", 700, 1200],
  ] as const;

  test.each(cases)("%s", (_where, place, total) => {
    for (let before = 0; before <= SECRET.length; before++) {
      const shown = collected(across(place, before, total), redact);
      expect(showsAPiece(shown), `${before} characters before the cut`).toBe(false);
      expect(shown).toMatch(/^X{400}/);
      expect(shown).toMatch(/Y{400}$/);
    }
  });

  test.each(cases)("%s, control: hidden after the cut a piece of it is seen", (_where, place, total) => {
    const shown = Array.from({ length: SECRET.length }, (_, before) =>
      redact(collected(across(place, before, total), asItIs)),
    );
    expect(shown.some(showsAPiece)).toBe(true);
  });

  test("at each place of what is kept besides, and many of them", () => {
    for (let place = 300; place < 20_000; place += 501) {
      expect(showsAPiece(collected(across(place, 0, 60_000), redact))).toBe(false);
    }
    const many = collected(`${SECRET} `.repeat(5000), redact);
    expect(showsAPiece(many)).toBe(false);
    expect(many).toMatch(/bytes left out here/);
  });
});

describe("the tools", () => {
  async function runTool(
    hide: ((text: string) => string) | undefined,
    name: string,
    input: unknown,
    content: string,
  ): Promise<string> {
    const { workspace } = await makePlace();
    await writeFile(join(workspace, "long"), content);
    const redacting = hide === undefined ? {} : { redact: hide };
    const tools = builtInTools({ workspace, sandbox: NO_SANDBOX, ...redacting });
    const result = await tools.find((tool) => tool.name === name)?.run(input, toolContext());
    // As the turn does afterwards.
    return redact(typeof result === "string" ? result : (result?.content ?? ""));
  }

  const calls = [
    ["exec", { command: "cat long" }, [20_000]],
    ["read_file", { path: "long" }, [48_000, 48_000 - LONGEST_SECRET]],
  ] as const;

  test.each(calls)("%s hides them before it cuts", async (name, input, cuts) => {
    const unhidden: string[] = [];
    for (const cut of cuts) {
      const content = across(cut, 20, 200_000);
      const shown = await runTool(redact, name, input, content);
      expect(showsAPiece(shown)).toBe(false);
      expect(shown).toMatch(/^X{10000}/);
      unhidden.push(await runTool(undefined, name, input, content));
    }
    // Control: the cut is where it is looked for.
    expect(unhidden.some(showsAPiece)).toBe(true);
  });
});
