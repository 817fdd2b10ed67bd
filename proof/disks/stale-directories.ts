import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NAME, removeDirectory, startOf } from "./own-directories.ts";

/** Removes what processes that were killed have left, with their disks. The directories of the living are left alone. */
export async function removeStaleDirectories(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, start] = new RegExp(`^${NAME}-(\\d+)-(\\d+)-`).exec(name) ?? [];
    // Where it cannot be told when a process began, all of them began at 0.
    if (pid !== undefined && (startOf(Number(pid)) ?? "0") !== start) removeDirectory(join(tmpdir(), name));
  }
}
