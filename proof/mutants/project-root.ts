import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of the project, from the sources and from what was built of them alike. */
export function projectRoot(): string {
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    if (existsSync(`${directory}/packages/store/package.json`)) return directory;
    if (directory === dirname(directory))
      throw new Error("the mutants need the sources of the project around them");
  }
}
