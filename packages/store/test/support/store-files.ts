/** What lies in a store's directory on the real disk, for tests that look at it or damage it. */

import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileNameOf } from "../../src/format/key.ts";

export function sessionFile(directory: string, key: string): string {
  return join(directory, fileNameOf(key));
}

/** Every file, directory and socket below a directory, by its path from there; sorted. */
export async function namesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.map((entry) => relative(directory, join(entry.parentPath, entry.name))).sort();
}

/** The bytes of every regular file below a directory. */
export async function bytesIn(directory: string): Promise<Map<string, string>> {
  const bytes = new Map<string, string>();
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if ((await lstat(path)).isFile()) bytes.set(name, await readFile(path, "latin1"));
  }
  return bytes;
}

/** The copies of damaged bytes, by name. */
export async function damagedCopies(directory: string): Promise<Map<string, string>> {
  return await bytesIn(join(directory, ".longhand", "damaged"));
}

/** Where each line of a file begins; its header is line 0. */
export function lineOffsets(bytes: Buffer): number[] {
  const offsets = [0];
  for (let at = bytes.indexOf(0x0a); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0x0a, at + 1)) {
    offsets.push(at + 1);
  }
  return offsets;
}
