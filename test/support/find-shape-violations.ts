/** The shape of files: how long, how named, where barrels may stand. */

import { posix } from "node:path";
import ts from "typescript";
import type { TextFile } from "./project.ts";
import { parse } from "./read-imports.ts";

export const MAX_SOURCE_LINES = 400;
export const MAX_TEST_LINES = 600;
/** Longer than this is no failure, but worth a look: is there a second thing in it that wants its own file? */
export const LONG_SOURCE_LINES = 250;

const NAMES_NOTHING = /^(utils?|helpers?|misc|managers?)$/;
/** Its class is named in the contract that others program against. */
const FIXED_NAMES = new Set(["session-manager.ts", "session-manager.test.ts"]);

export function findTooLong(files: readonly TextFile[], limit: number): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: countLines(text) }))
    .filter(({ lines }) => lines > limit)
    .map(({ path, lines }) => `${path}: ${lines} lines, more than ${limit}`);
}

/** A name should say what a file owns; these words say nothing, and such files grow without end. */
export function findNamelessFiles(files: readonly TextFile[]): string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => !FIXED_NAMES.has(posix.basename(path)))
    .filter((path) => path.split(/[/.-]/).some((word) => NAMES_NOTHING.test(word)))
    .map((path) => `${path}: name it for the one thing it exports`);
}

/** `doors` are the files that package.json exports: only there may an index.ts list what is public. */
export function findBarrels(files: readonly TextFile[], doors: readonly string[]): string[] {
  return files.flatMap((file) => [
    ...(posix.basename(file.path) === "index.ts" && !doors.includes(file.path)
      ? [`${file.path}: an index.ts that is no door of the package`]
      : []),
    ...(exportsEverything(file) ? [`${file.path}: export *; list the names`] : []),
  ]);
}

function exportsEverything(file: TextFile): boolean {
  return parse(file).statements.some(
    (statement) =>
      ts.isExportDeclaration(statement) &&
      statement.moduleSpecifier !== undefined &&
      (statement.exportClause === undefined || ts.isNamespaceExport(statement.exportClause)),
  );
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
