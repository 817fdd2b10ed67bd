import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory for one test. Short, so that a Unix socket's path fits in it. */
export async function makeTemporaryDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "longhand-"));
}

export async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
