import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Where programs are looked for: also where those for the administrator are, which not every PATH has. */
export const SEARCHED: readonly string[] = [
  ...(process.env["PATH"] ?? "").split(delimiter),
  ...["/usr/local/sbin", "/usr/sbin", "/sbin"],
];

/** The first of them that is not installed. */
export function missingTool(names: readonly string[]): string | undefined {
  return names.find((name) => !SEARCHED.some((directory) => existsSync(join(directory, name))));
}
