/** The first and the last lines of a session's own file, as they are on the disk. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface FileLines {
  readonly file: string;
  readonly lines: readonly string[];
}

const AT_EACH_END = 2;

/** For the small files of a tour: it reads them whole. */
export async function sessionFileLines(directory: string, key: string): Promise<FileLines | undefined> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".jsonl")).sort();
  for (const name of names) {
    const lines = (await readFile(join(directory, name), "utf8")).trimEnd().split("\n");
    if (lines[0]?.includes(`"key":${JSON.stringify(key)}`) !== true) continue;
    if (lines.length <= 2 * AT_EACH_END) return { file: name, lines };
    const omitted = `… ${lines.length - 2 * AT_EACH_END} more lines …`;
    return { file: name, lines: [...lines.slice(0, AT_EACH_END), omitted, ...lines.slice(-AT_EACH_END)] };
  }
  return undefined;
}
