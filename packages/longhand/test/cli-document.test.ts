/** docs/cli.md and the program speak of the same commands, options and codes. */

import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { expect, test } from "vitest";
import { LONGHAND_ERROR_CODES, LonghandError } from "@longhand/store";
import { COMMAND_ERROR_CODES, CommandError } from "../src/command-error.ts";
import { WARNING_CODES } from "../src/sessions/with-store.ts";
import { explainError } from "../src/terminal/explain-error.ts";
import { COMMANDS, makeProgram } from "../src/program.ts";

const page = await readFile(new URL("../../../docs/cli.md", import.meta.url), "utf8");

/** The part of the page under a heading. */
function section(heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
}

const never = (): never => {
  throw new Error("nothing is run here");
};

test("every command has its section and its row, and there are no others", () => {
  const sections = [...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(Object.keys(COMMANDS));
  for (const name of Object.keys(COMMANDS)) expect(page).toContain(`](#${name})`);
});

test.each(Object.entries(COMMANDS))("the options of %s are in its section", async (name, { load }) => {
  const command = new Command(name);
  (await load()).defineCommand(command, never);
  const whole = command.commands.length === 0 ? [command] : command.commands;
  // One that speaks nothing else needs no option for it, and says so.
  const isJsonAlways = name === "serve";
  for (const each of whole) expect(each.options.some(({ long }) => long === "--json")).toBe(!isJsonAlways);
  if (isJsonAlways) expect(section("What holds for all")).toContain(`\`${name}\` speaks JSON always`);
  for (const own of command.commands) expect(section(name)).toContain(`longhand ${name} ${own.name()}`);
  const options = whole.flatMap((each) => each.options.map(({ long }) => long ?? ""));
  for (const option of options) expect(section(name), option).toContain(option);
  const known = [...options, "--version", "--no-color", "--home", "--sessions", "--workspace", "--memory"];
  // Up to a pipe: what follows there is another program's.
  const used = [...page.matchAll(new RegExp(`longhand ${name} ([^|\\n]*)`, "g"))].map(
    ([, words = ""]) => words,
  );
  const named = section(name).match(/`--[a-z-]+/g) ?? [];
  for (const [option] of [...used, ...named].join(" ").matchAll(/--[a-z][a-z-]*/g)) {
    expect(known, `${name} has no ${option}`).toContain(option);
  }
});

/** Rows such as "| `KEY_UNKNOWN` | 3 | when |". */
function documentedCodes(): Map<string, string> {
  const rows = section("What holds for all").matchAll(/^\| `([A-Z_]+)` \| ([0-3]|–) \| .+ \|$/gm);
  return new Map([...rows].map(([, code = "", exitCode = ""]) => [code, exitCode]));
}

test("every code of an error is on the page with its exit code, and every code of a warning; there are no others", () => {
  const toPaste = (words: string): string => words;
  const exitOf = (error: unknown): string =>
    String(explainError(error, { toPaste, canWait: false, isOwnerStopped: false }).exitCode);
  const expected = new Map([
    ...COMMAND_ERROR_CODES.map((code) => [code, exitOf(new CommandError(code, ""))] as const),
    ...LONGHAND_ERROR_CODES.map((code) => [code, exitOf(new LonghandError(code, "", {}))] as const),
    ["UNEXPECTED", exitOf(new Error("x"))] as const,
    ...WARNING_CODES.map((code) => [code, "–"] as const),
  ]);
  expect(Object.fromEntries(documentedCodes())).toEqual(Object.fromEntries(expected));
});

test("the options of all commands are on the page", () => {
  const program = makeProgram({ out: never, error: never }, never);
  for (const { long } of program.options) expect(section("What holds for all")).toContain(long);
});
